import {describe, expect, test} from 'vitest';
import {threadFlag} from '../../source/model/sample.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {locationName} from '../../source/query/counters/location.js';
import {Picture, picture, undent} from '../helpers/picture.js';
import type {LineTable} from '../../source/query/counted-lines.js';

const query = (changes: Partial<Query> = {}): Query => ({...defaultQuery, ...changes});

/** `self% total% self/total ticks, name`, a line a row. */
function drawn(table: LineTable): string {
	return table.rows.map(row => `${row.selfPercent.toFixed(0).padStart(3)} ${row.totalPercent.toFixed(0).padStart(3)} ${row.selfTicks}/${row.totalTicks} ${locationName(row)}`).join('\n');
}

describe('units and states', () => {
	const snapshot = picture(`
		busy
		R90    R10    B
		work:1 idle:2 lock:3

		asleep
		w      w      w
		wait:4 wait:4 lock:3
	`);

	test('CPU time orders and shares by default, over all states', () => {
		expect(drawn(queryLines(snapshot, undefined, query()))).toBe(undent(`
			 90  90 1/1 A.work:1
			 10  10 1/1 A.idle:2
			  0   0 1/1 A.lock:3
		`));
	});

	test('ticks count the states asked for', () => {
		expect(drawn(queryLines(snapshot, undefined, query({unit: 'ticks', states: ['RUNNABLE', 'BLOCKED', 'WAITING']})))).toBe(undent(`
			 33  33 2/2 A.lock:3
			 33  33 2/2 A.wait:4
			 17  17 1/1 A.work:1
			 17  17 1/1 A.idle:2
		`));
	});

	test('a row has the ticks of every state, its threads, and those with the most CPU first', () => {
		const row = queryLines(snapshot, undefined, query({states: ['BLOCKED']})).rows.find(({line}) => line === 3)!;
		expect(row.states).toEqual([0, 0, 1, 1, 0, 0, 0]);
		expect(row.threadCount).toBe(2);
		expect(row.topThreads).toEqual(['busy', 'asleep']);
	});
});

test('threads that are blocked now, and for how long the longest has been', () => {
	const drawing = new Picture().draw(`
		one
		R       B
		take:88 take:88

		two
		B
		take:88

		three
		w
		take:88

		gone [dead]
		B
		take:88
	`);
	drawing.builder.setNow(drawing.thread('one'), {sinceMs: 58_000});
	drawing.builder.setNow(drawing.thread('two'), {sinceMs: 99_000});
	drawing.builder.setNow(drawing.thread('three'), {sinceMs: 1000});
	const [row] = queryLines(drawing.build(), undefined, query()).rows;
	expect([row.blockedNow, row.stuckMs, row.stuckAtLeast]).toEqual([2, 42_000, false]);
	drawing.builder.setNow(drawing.thread('one'), {flags: threadFlag.unmovedSinceStart});
	expect(queryLines(drawing.build(), undefined, query()).rows[0].stuckAtLeast).toBe(true);
});
