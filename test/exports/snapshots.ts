import {fromNames, namesOf, type Unit} from '../../source/model/column-types.js';
import {nativeLine, noFrame, rootNode, unknownLine} from '../../source/model/frame.js';
import {lockKindCode, lockKinds, threadFlag} from '../../source/model/sample.js';
import {contentionColumns, threadNumbers} from '../../source/model/schema.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {printable} from '../../source/model/text.js';
import {stateCode, threadStates} from '../../source/model/thread-state.js';
import {seeded} from '../helpers/random.js';
import {frameIdsOf, rowsOf} from '../helpers/rows.js';
import {SessionBuilder} from '../helpers/session-builder.js';

export const startedAtMs = Date.UTC(2026, 8, 14, 14, 2, 1);
const ms = 1_000_000;

const target = {
	pid: 4711, mainClass: 'com.acme.Main', command: 'com.acme.Main --port 80', jvmVersion: '17.0.15', vm: 'OpenJDK 64-Bit Server VM', user: 'acme', startedAtMs: startedAtMs - 60_000,
};
const session = {
	engine: 'attach', requestedIntervalMs: 200, intervalMs: 250, startedAtMs, takenAtMs: startedAtMs + 10_000, durationMs: 10_000, sampledMs: 9900, lastSampleAtMs: startedAtMs + 9900,
	samples: 50, late: 3, failed: 1, incompleteStacks: 4, refusedThreads: 7, lateThreads: 5, otherTicks: 2, targetStoppedMs: 12.5, pauseP50Us: 210, pauseP99Us: 800, pauseWorstUs: 900.5, selfCpuMs: 350,
};

/** A service with two sorters, a blocked pool thread, a native wait, the JIT and the collector; and its first part. */
export function serviceSnapshots(): {first: Snapshot; whole: Snapshot} {
	const builder = new SessionBuilder();
	const name = (text: string) => builder.internString(text);
	const main = builder.addFrame('com.acme.Main', 'main', 'Main.java', 10);
	const run = builder.addFrame('com.acme.Worker', 'run', 'Worker.java', 30);
	const sort = builder.addFrame('com.acme.sort.Bubble', 'sort', 'Bubble.java', 16);
	const swap = builder.addFrame('com.acme.sort.Bubble', 'swap', 'Bubble.java', 24);
	const take = builder.addFrame('com.acme.db.Pool', 'take', 'Pool.java', 88);
	const epoll = builder.addFrame('sun.nio.ch.EPoll', 'wait', 'EPoll.java', nativeLine);
	const hidden = builder.addFrame('com.acme.Main$$Lambda/0x00007f0001000a00', 'run', '', unknownLine);
	const sortStack = builder.addStack([sort, main]);
	const swapStack = builder.addStack([swap, sort, main]);
	const takeStack = builder.addStack([take, run]);
	const epollStack = builder.addStack([epoll, hidden, run]);
	const since = startedAtMs + 5000;
	const sorter = builder.addThread({key: 1, nativeId: 4712, name: 'main', node: swapStack, sinceMs: since});
	const worker = builder.addThread({
		key: 21, nativeId: 4730, name: 'pool-1-thread-1', flags: threadFlag.daemon, state: stateCode.BLOCKED, node: takeStack, sinceMs: since,
		lockKind: lockKindCode.monitor, lockClass: name('com.acme.db.Pool'), lockOwner: sorter, lockOwnerFrame: main,
	});
	const selector = builder.addThread({key: 22, nativeId: 4731, name: 'http-selector', state: stateCode.IDLE, node: epollStack, sinceMs: since});
	const jit = builder.addThread({key: 9, nativeId: 4720, name: 'C2 CompilerThread0', flags: threadFlag.compiler + threadFlag.daemon, sinceMs: since});
	const collector = builder.addThread({key: -4714, nativeId: 4714, name: 'GC Thread#0', flags: threadFlag.vmInternal, sinceMs: since});
	const gone = builder.addThread({key: 30, nativeId: 0, name: 'short-lived', alive: false, node: builder.addStack([run]), sinceMs: since});
	builder.addThread({key: 31, nativeId: 4740, name: 'ForkJoinPool-1-worker-1', flags: threadFlag.virtual, carrier: worker, sinceMs: since});
	const countPart = (times: number) => {
		builder.count(sorter, sortStack, stateCode.RUNNABLE, 10 * times, 2000 * ms * times);
		builder.count(sorter, swapStack, stateCode.RUNNABLE, 15 * times, 3000 * ms * times);
		builder.count(worker, takeStack, stateCode.BLOCKED, 20 * times, 0);
		builder.count(worker, sortStack, stateCode.RUNNABLE, 5 * times, 700 * ms * times);
		builder.count(selector, epollStack, stateCode.IDLE, 25 * times, 0);
		builder.count(jit, rootNode, stateCode.RUNNABLE, 25 * times, 150 * ms * times);
		builder.count(collector, rootNode, stateCode.RUNNABLE, 25 * times, 50 * ms * times);
		builder.addContention({
			thread: worker, node: takeStack, lockKind: lockKindCode.monitor, lockClass: name('com.acme.db.Pool'), owner: sorter, ownerNode: swapStack, ownerFrame: main, ticks: 20 * times,
		});
	};

	countPart(1);
	const first = builder.build({
		target, session: {
			...session, takenAtMs: startedAtMs + 5000, durationMs: 5000, sampledMs: 4900, samples: 25, late: 1, failed: 0, incompleteStacks: 1, refusedThreads: 3, lateThreads: 1, otherTicks: 0, targetStoppedMs: 6.5, selfCpuMs: 150,
		},
	});
	countPart(1);
	builder.count(gone, builder.addStack([run]), stateCode.TIMED_WAITING, 3, 0);
	return {first, whole: builder.build({target, session})};
}

/** Names as a hostile target could have them, after they passed `printable` where they entered. */
export const hostileNames = [
	'\u001B]0;title\u0007', '\u001B[31mred', 'a\nb\r\nc', 'quote"s\'', 'comma,semi;', '=1+2', '+cmd|\'/C calc\'!A0', '-2', '@SUM(A1)', '\u202Eevil', 'tab\there', 'a.b.c', '.', '..', '', ' ', '\uD800', '日本語', '👩‍👩‍👧', '#tprof-top-session {}', '[JVM]', '\0nul', '\u009B31m', '\uFEFFbom', '%s%d', '$(reboot)', 'ü'.repeat(3000),
].map(name => printable(name));

/** A snapshot in which every name is hostile. */
export function hostileSnapshot(): Snapshot {
	const builder = new SessionBuilder();
	const at = (index: number) => hostileNames[index % hostileNames.length];
	for (let index = 0; index < hostileNames.length; index++) {
		const frame = builder.addFrame(at(index), at(index + 1), at(index + 2), index - 2);
		const caller = builder.addFrame(at(index + 3), at(index), at(index + 1), index);
		const node = builder.addStack([frame, caller]);
		const thread = builder.addThread({
			key: index + 1, nativeId: 100 + index, name: at(index), node, lockKind: lockKindCode.park, lockClass: builder.internString(at(index + 2)),
		});
		builder.count(thread, node, index % threadStates.length, index + 1, index * ms);
	}

	return builder.build({
		target: {
			...target, mainClass: at(0), command: at(2), jvmVersion: at(1), vm: at(5), user: at(9),
		}, session: {...session, engine: 'attach'},
	});
}

/** A pseudo-random snapshot; the same seed gives the same one. */
export function randomSnapshot(seed: number): Snapshot {
	const random = seeded(seed);
	const below = (limit: number) => Math.floor(random() * limit);
	const builder = new SessionBuilder();
	const frames = Array.from({length: 1 + below(30)}, () => builder.addFrame(`p${below(3)}.C${below(5)}`, `m${below(5)}`, below(4) === 0 ? '' : `F${below(5)}.java`, below(20) - 2));
	const stack = () => builder.addStack(Array.from({length: below(12)}, () => frames[below(frames.length)]));
	const threads = Array.from({length: 1 + below(8)}, (_, index) => builder.addThread({
		key: index * 3, nativeId: below(3) === 0 ? 0 : 1000 + index, name: `t-${below(4)}`, flags: below(64), alive: below(2) === 0, state: below(threadStates.length), node: stack(), sinceMs: startedAtMs + below(1000),
		lockKind: below(lockKinds.length), lockClass: builder.internString(`L${below(3)}`), lockOwnerFrame: below(2) === 0 ? 0 : frames[0], lockOwner: below(index + 1) - 1, carrier: below(index + 1) - 1,
	}));
	for (let i = below(60); i > 0; i--) {
		builder.count(threads[below(threads.length)], stack(), below(threadStates.length), 1 + below(5), below(2) === 0 ? 0 : below(1e9));
	}

	for (let i = below(10); i > 0; i--) {
		builder.addContention({
			thread: threads[below(threads.length)], node: stack(), lockKind: below(lockKinds.length), owner: below(2) - 1, ownerNode: stack(), ownerFrame: 0, ticks: 1 + below(9),
		});
	}

	return builder.build({target, session});
}

/** A snapshot with names in the place of ids, so that two whose numbering differs can be compared. */
export function canonical(snapshot: Snapshot) {
	const {dictionary, threads, counters, contention} = snapshot;
	const {strings} = dictionary;
	const frame = (id: number) => id === noFrame
		? 'none'
		: JSON.stringify([strings[dictionary.frameClass[id]], strings[dictionary.frameMethod[id]], strings[dictionary.frameFile[id]], dictionary.frameLine[id]]);
	const stack = (node: number) => frameIdsOf(dictionary, node).map(id => frame(id));
	const named: Readonly<Partial<Record<Unit, (value: number) => string | string[]>>> = {string: value => strings[value], stack, frame};
	return {
		target: snapshot.target,
		session: snapshot.session,
		threads: rowsOf(threads).map(row => ({name: row.name, ...fromNames(namesOf(threadNumbers), name => named[threadNumbers[name].unit]?.(row[name]) ?? row[name])})),
		facts: rowsOf(counters).map(({thread, node, state, ticks, cpuNs}) => ({thread, stack: stack(node), state, ticks, cpuNs})),
		contention: rowsOf(contention).map(row => fromNames(namesOf(contentionColumns), name => named[contentionColumns[name].unit]?.(row[name]) ?? row[name])),
	};
}
