import {expect, test} from 'vitest';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {locationName} from '../../source/query/counters/location.js';
import {stateCells} from '../../source/query/columns/state-cells.js';
import {queryStackHistogram} from '../../source/views/stacks/stacks.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {picture, undent} from '../helpers/picture.js';

const votes = (snapshot: Snapshot, changes: Partial<Query> = {}): string => queryStackHistogram(snapshot, undefined, {...defaultQuery, sort: {column: 'ticks', reverse: false}, ...changes}).rows
	.map(row => `${row.selfTicks} ${row.selfPercent}% ${row.threadCount}thr ${stateCells(row.states, 4)} ${row.frames.map(frame => locationName(frame)).join(' < ')}`)
	.join('\n');

const drawn = picture(`
	one               | R30 R B B w | main:1               | sort:2 sort:2 lock:3 lock:3 wait:4
	two <- one@main:1 | R10 R30 B   | main:1 main:9 main:1 | sort:2 sort:2 lock:3
`);

test('identical stacks are one row, whatever threads, states and locks they had', () => {
	expect(votes(drawn)).toBe(undent(`
		3 62.5% 2thr RRRR A.sort:2 < A.main:1
		3 0% 2thr BBBB A.lock:3 < A.main:1
		1 37.5% 1thr RRRR A.sort:2 < A.main:9
	`));
	expect(votes(drawn, {states: ['WAITING']})).toBe('1 100% 1thr wwww A.wait:4 < A.main:1');
});

test('the first frames alone are compared, and searched, where that is asked for; Enter still shows all', () => {
	expect(votes(drawn, {depth: 1})).toBe('4 100% 2thr RRRR A.sort:2\n3 0% 2thr BBBB A.lock:3');
	const [row] = queryStackHistogram(drawn, undefined, {...defaultQuery, depth: 1}).rows;
	expect(row.wholeFrames.map(frame => locationName(frame))).toEqual(['A.sort:2', 'A.main:1']);
	expect([...drawn.dictionary.nodeParent.keys()].filter(node => node < drawn.dictionary.nodeCount && row.isOf(node))).toHaveLength(2);
	expect(votes(drawn, {depth: 1, filter: 'main'})).toBe('');
});

test('a fingerprint is that of the frames as printed: the same in every session', () => {
	const fingerprints = (snapshot: Snapshot) => queryStackHistogram(snapshot, undefined, defaultQuery).rows.map(({fingerprint}) => fingerprint);
	const other = picture('later | R | main:9 | sort:2');
	expect(fingerprints(drawn)).toContain(fingerprints(other)[0]);
	expect(fingerprints(drawn)[0]).toMatch(/^[\da-f]{32}$/);
});

test.each([
	['sort main:9', 1], [String.raw`/^A\.lock:3$/`, 1], ['lock|pct>50', 2], ['state:B', 1], ['nothing', 0],
])('%s keeps %i of three stacks', (filter, count) => {
	const {rows, allRows} = queryStackHistogram(drawn, undefined, {...defaultQuery, filter});
	expect(rows).toHaveLength(count);
	expect(allRows).toBe(filter === 'state:B' ? 1 : 3);
});
