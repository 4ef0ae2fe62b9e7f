import {expect, test} from 'vitest';
import {otherFrame, rootNode} from '../../source/model/frame.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';

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

test('ids that were never given out are refused', () => {
	const builder = new SnapshotBuilder();
	expect(() => builder.internFrame(1, 0, 0, 0)).toThrow(RangeError);
	expect(() => builder.addStack([otherFrame + 1])).toThrow(RangeError);
	expect(() => builder.addCallee(5, 0)).toThrow(RangeError);
	expect(() => {
		builder.count(0, 0, 0, 1, 0);
	}).toThrow(RangeError);
});
