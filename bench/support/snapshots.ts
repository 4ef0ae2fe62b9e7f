import {lockKindCode} from '../../source/model/sample.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';

const threads = 200;
const depth = 50;

/**
Stacks of `depth` frames that share their lower parts, as those of a service do; `facts` of them, over all threads and
some states. With more `leaves` each stack ends in one of so many lines. Every fourth place is the JDK's.
*/
export function makeSnapshots(facts: number, leaves = 1): {baseline: Snapshot; snapshot: Snapshot} {
	const builder = new SnapshotBuilder();
	let seed = 1;
	const random = (below: number) => {
		seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
		return Math.floor(seed / 4_294_967_296 * below);
	};

	const frames = Array.from({length: 2000}, (_, index) => {
		const name = `Class${index % 300}`;
		return builder.addFrame(`${index % 4 === 0 ? 'java.util' : 'com.acme'}.part${index % 40}.${name}`, `method${index % 900}`, `${name}.java`, index % 17 === 0 ? -2 : index);
	});
	const ids = Array.from({length: threads}, (_, index) => builder.addThread({key: index + 1, name: `worker-${index}`}));
	const bases = Array.from({length: 40}, (_, base) => builder.addStack(Array.from({length: depth - 8}, (_, index) => frames[((base * 31) + (index * 7)) % frames.length])));
	let baseline: Snapshot | undefined;
	for (let fact = 0; fact < facts; fact++) {
		let node = bases[random(bases.length)];
		for (let level = 0; level < 8; level++) {
			node = builder.addCallee(node, frames[(((node % 97) * 13) + random(level < 5 ? 1 : 3)) % frames.length]);
		}

		node = leaves > 1 ? builder.addCallee(node, frames[random(leaves)]) : node;
		const state = [stateCode.RUNNABLE, stateCode.RUNNABLE, stateCode.BLOCKED, stateCode.WAITING][random(4)];
		builder.count(ids[random(threads)], node, state, 1 + random(20), state === stateCode.RUNNABLE ? random(1e7) : 0);
		if (fact === Math.floor(facts / 2)) {
			baseline = builder.build({session: {durationMs: 10_000, samples: 50}});
		}
	}

	// Every fourth thread waits for the one before it.
	for (let thread = 3; thread < threads; thread += 4) {
		builder.setNow(ids[thread], {state: stateCode.BLOCKED, lockKind: lockKindCode.monitor, lockOwner: ids[thread - 1]});
		builder.addContention({
			thread: ids[thread], node: bases[0], lockKind: lockKindCode.monitor, lockClass: 1, owner: ids[thread - 1], ownerNode: bases[1], ownerFrame: 0, ticks: 1,
		});
	}

	return {baseline: baseline!, snapshot: builder.build({session: {durationMs: 20_000, samples: 100}})};
}
