import {noFrame, rootNode} from '../../source/model/frame.js';
import type {Snapshot} from '../../source/model/snapshot.js';

/** A snapshot with names in the place of ids, so that two whose numbering differs can be compared. */
export function canonical(snapshot: Snapshot) {
	const {dictionary, threads, facts, contention} = snapshot;
	const {strings} = dictionary;
	const frame = (id: number) => id === noFrame
		? 'none'
		: JSON.stringify([strings[dictionary.frameClass[id]], strings[dictionary.frameMethod[id]], strings[dictionary.frameFile[id]], dictionary.frameLine[id]]);
	const stack = (node: number) => {
		const frames = [];
		for (let at = node; at !== rootNode; at = dictionary.nodeParent[at]) {
			frames.push(frame(dictionary.nodeFrame[at]));
		}

		return frames;
	};

	const rows = <Row>(count: number, row: (index: number) => Row) => Array.from({length: count}, (_, index) => row(index));
	return {
		target: snapshot.target,
		session: snapshot.session,
		threads: rows(threads.count, i => ({
			key: threads.key[i], nativeId: threads.nativeId[i], name: strings[threads.name[i]], flags: threads.flags[i], alive: threads.alive[i], state: threads.state[i], stack: stack(threads.node[i]),
			sinceMs: threads.sinceMs[i], cpuNs: threads.cpuNs[i], lockKind: threads.lockKind[i], lockClass: strings[threads.lockClass[i]], lockOwner: threads.lockOwner[i],
			lockOwnerFrame: frame(threads.lockOwnerFrame[i]), carrier: threads.carrier[i],
		})),
		facts: rows(facts.count, i => ({
			thread: facts.thread[i], stack: stack(facts.node[i]), state: facts.state[i], ticks: facts.ticks[i], cpuNs: facts.cpuNs[i],
		})),
		contention: rows(contention.count, i => ({
			thread: contention.thread[i], stack: stack(contention.node[i]), lockKind: contention.lockKind[i], lockClass: strings[contention.lockClass[i]], owner: contention.owner[i],
			ownerStack: stack(contention.ownerNode[i]), ownerFrame: frame(contention.ownerFrame[i]), ticks: contention.ticks[i],
		})),
	};
}
