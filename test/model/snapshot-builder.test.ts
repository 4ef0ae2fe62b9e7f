import {expect, test} from 'vitest';
import {otherFrame, rootNode} from '../../source/model/frame.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {stateCode} from '../../source/model/thread-state.js';

test('the same names, frames and stacks have the same ids; callers have smaller ones', () => {
	const builder = new SnapshotBuilder();
	expect(builder.internString('')).toBe(0);
	expect(builder.internString('a')).toBe(builder.internString('a'));
	const [main, sort] = [builder.addFrame('a.Main', 'main', 'Main.java', 3), builder.addFrame('a.Main', 'sort', 'Main.java', 7)];
	expect(main).toBe(otherFrame + 1);
	expect(builder.addFrame('a.Main', 'main', 'Main.java', 3)).toBe(main);
	expect(builder.addFrame('a.Main', 'main', 'Main.java', 4)).not.toBe(main);
	const deep = builder.addStack([sort, sort, main]);
	expect(builder.addStack([sort, sort, main])).toBe(deep);
	expect(builder.addStack([])).toBe(rootNode);
	const {dictionary} = builder.build();
	expect([dictionary.frameCount, dictionary.nodeCount]).toEqual([5, 4]);
	expect([...dictionary.nodeFrame]).toEqual([0, main, sort, sort]);
	for (let node = 1; node < dictionary.nodeCount; node++) {
		expect(dictionary.nodeParent[node]).toBeLessThan(node);
	}
});

test('counts of one key add up, of threads and of the session too; a snapshot does not change afterwards', () => {
	const builder = new SnapshotBuilder();
	const thread = builder.addThread({key: 7, name: 'main'});
	const node = builder.addStack([builder.addFrame('A', 'x', 'A.java', 1)]);
	builder.count(thread, node, stateCode.RUNNABLE, 2, 500);
	builder.count(thread, node, stateCode.BLOCKED, 1, 0);
	const before = builder.build();
	builder.count(thread, node, stateCode.RUNNABLE, 3, 700);
	builder.addContention({thread, node, lockKind: 1, ticks: 2});
	builder.addContention({thread, node, lockKind: 1, ticks: 3});
	const after = builder.build({session: {samples: 6}, target: {pid: 42}});
	expect([...before.counters.ticks, ...before.counters.cpuNs, before.threads.cpuNs[0], before.session.threadSamples, before.contention.count]).toEqual([2, 1, 500, 0, 500, 3, 0]);
	expect([...after.counters.ticks, ...after.counters.cpuNs, after.threads.cpuNs[0], after.session.threadSamples]).toEqual([5, 1, 1200, 0, 1200, 6]);
	expect([after.contention.count, after.contention.ticks[0], after.contention.owner[0]]).toEqual([1, 5, -1]);
	expect(after.dictionary.strings).toBe(before.dictionary.strings);
	expect([after.target.pid, after.session.samples]).toEqual([42, 6]);
});

test('a thread stands as was said last', () => {
	const builder = new SnapshotBuilder();
	const thread = builder.addThread({key: 1, name: 't', nativeId: 99});
	builder.setNow(thread, {state: stateCode.BLOCKED, sinceMs: 5, lockOwner: 0});
	builder.setNow(thread, {alive: false});
	const {threads} = builder.build();
	expect([threads.alive[0], threads.state[0], threads.sinceMs[0], threads.lockOwner[0], threads.nativeId[0], threads.carrier[0]]).toEqual([0, stateCode.BLOCKED, 5, 0, 99, -1]);
});

test('ids that were never given out are refused', () => {
	const builder = new SnapshotBuilder();
	expect(() => builder.internFrame(1, 0, 0, 0)).toThrow(RangeError);
	expect(() => builder.addStack([otherFrame + 1])).toThrow(RangeError);
	expect(() => builder.addCallee(5, 0)).toThrow(RangeError);
	expect(() => {
		builder.count(0, 0, 0, 1, 0);
	}).toThrow(RangeError);
});
