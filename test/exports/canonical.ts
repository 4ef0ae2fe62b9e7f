import {fromNames, namesOf, type Unit} from '../../source/model/column-types.js';
import {noFrame, rootNode} from '../../source/model/frame.js';
import {contentionColumns, threadNumbers} from '../../source/model/schema.js';
import type {Snapshot} from '../../source/model/snapshot.js';

/** A snapshot with names in the place of ids, so that two whose numbering differs can be compared. */
export function canonical(snapshot: Snapshot) {
	const {dictionary, threads, counters, contention} = snapshot;
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

	const named: Readonly<Partial<Record<Unit, (value: number) => string | string[]>>> = {string: value => strings[value], stack, frame};
	const rows = <Row>(count: number, row: (index: number) => Row) => Array.from({length: count}, (_, index) => row(index));
	return {
		target: snapshot.target,
		session: snapshot.session,
		threads: rows(threads.count, i => ({name: threads.name[i], ...fromNames(namesOf(threadNumbers), name => named[threadNumbers[name].unit]?.(threads[name][i]) ?? threads[name][i])})),
		facts: rows(counters.count, i => ({
			thread: counters.thread[i], stack: stack(counters.node[i]), state: counters.state[i], ticks: counters.ticks[i], cpuNs: counters.cpuNs[i],
		})),
		contention: rows(contention.count, i => fromNames(namesOf(contentionColumns), name => named[contentionColumns[name].unit]?.(contention[name][i]) ?? contention[name][i])),
	};
}
