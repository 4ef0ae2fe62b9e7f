import {expect, test} from 'vitest';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {stateCode} from '../../source/model/thread-state.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {lineColumns} from '../../source/views/lines/columns.js';
import {addToRing, emptyRing} from '../../source/query/past/ring.js';
import {RowTrends} from '../../source/query/past/row-trends.js';

const lines = 600;

/** Two steps of 5 s: line n has n ms of CPU time and a tick in the first, and twice the time and a tick in the second. */
function session() {
	const builder = new SnapshotBuilder();
	const thread = builder.addThread({key: 1, name: 'main'});
	const stacks = Array.from({length: lines}, (_, line) => builder.addStack([builder.addFrame('A', 'work', 'A.java', line + 1)]));
	const waits = builder.addStack([builder.addFrame('A', 'waits', 'A.java', 7)]);
	let ring = emptyRing;
	for (const [index, atMs] of [5000, 10_000].entries()) {
		builder.count(thread, waits, stateCode.BLOCKED, index + 1, 0);
		for (const [line, stack] of stacks.entries()) {
			builder.count(thread, stack, stateCode.RUNNABLE, 1, (index + 1) * (line + 1) * 1e6);
		}

		ring = addToRing(ring, builder.build({
			session: {
				samples: 10 * (index + 1), durationMs: atMs, sampledMs: atMs, takenAtMs: atMs, lastSampleAtMs: atMs,
			},
		}));
	}

	return ring;
}

test('every row has a trend, however many have more, in the unit that is asked for, whatever the filter', () => {
	const ring = session();
	const trends = new RowTrends();
	const rows = queryLines(ring.newest!, undefined, defaultQuery).rows.filter(({method}) => method === 'work');
	const [hottest, coldest] = [rows[0], rows.at(-1)!];
	expect([hottest.line, coldest.line]).toEqual([lines, 1]);
	const steps = (key: string, changes = {}) => trends.of(key, {columns: lineColumns}, {...defaultQuery, ...changes}, ring, 1)!.slice(-2);
	expect(steps(hottest.key)).toEqual([0.5, 1]);
	expect(steps(coldest.key)).toEqual([0.5, 1]);
	expect(steps(coldest.key, {unit: 'ticks'})).toEqual([1, 1]);
	expect(steps(coldest.key, {filter: 'no such line'})).toEqual([0.5, 1]);
	expect(steps(coldest.key, {states: ['WAITING']})).toEqual([0, 0]);
	// What uses no CPU time has its ticks.
	expect(steps('A.waits:7')).toEqual([0.5, 1]);
	expect(steps('no such row')).toEqual([0, 0]);
});
