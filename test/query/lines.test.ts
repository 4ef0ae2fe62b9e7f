import {expect, test} from 'vitest';
import {threadFlag} from '../../source/model/sample.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {Picture, picture} from '../helpers/picture.js';

const query = (changes: Partial<Query> = {}): Query => ({...defaultQuery, ...changes});

test('a row has the ticks of every state, its threads, and those with the most CPU first', () => {
	const snapshot = picture('busy | R90 B | work:1 lock:3\nasleep | w w | wait:4 lock:3');
	const row = queryLines(snapshot, undefined, query({states: ['BLOCKED']})).rows.find(({line}) => line === 3)!;
	expect([row.states, row.threadCount, row.topThreads]).toEqual([[0, 0, 1, 1, 0, 0, 0], 2, ['busy', 'asleep']]);
});

test('threads that are blocked now, and for how long the longest has been', () => {
	const drawing = new Picture().draw(`
		one         | R B | take:88
		two         | B   | take:88
		three       | w   | take:88
		gone [dead] | B   | take:88
	`);
	drawing.set('one', {sinceMs: 58_000}).set('two', {sinceMs: 99_000}).set('three', {sinceMs: 1000});
	const [row] = queryLines(drawing.build(), undefined, query()).rows;
	expect([row.blockedNow, row.stuckMs, row.stuckAtLeast]).toEqual([2, 42_000, false]);
	drawing.set('one', {flags: threadFlag.unmovedSinceStart});
	expect(queryLines(drawing.build(), undefined, query()).rows[0].stuckAtLeast).toBe(true);
});
