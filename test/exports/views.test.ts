import {describe, expect, test} from 'vitest';
import {defaultQuery} from '../../source/query/types/query.js';
import {views} from '../../source/views/registry.js';
import {parseCsv, parseVotes, textOf} from './parse.js';
import {hostileSnapshot, randomSnapshot, serviceSnapshots} from './snapshots.js';

const snapshots = [['a service', serviceSnapshots().whole], ['hostile names', hostileSnapshot()], ['random', randomSnapshot(7)]] as const;

describe.each(views.map(view => [view.id, view] as const))('the rows of %s', (id, view) => {
	const query = {...defaultQuery, sort: view.sort, method: 'run', baseline: {snapshot: serviceSnapshots().first, since: undefined, title: 'before'}};

	test.each(snapshots)('as text, as on the screen: %s', (_, snapshot) => {
		// For people rows that say nothing are left out.
		const {rows} = view.query(snapshot, undefined, {...query, summary: {showsWaits: true}});
		const text = textOf('text', snapshot, {view, query, top: 5});
		expect(text).toContain(`\n${view.title}`);
		expect(text).toContain(view.columns[0].heading);
		const [, table] = text.split('\n\n');
		expect(table.split('\n').slice(1).filter(line => line !== '' && !line.startsWith('... '))).toHaveLength(Math.max(1, Math.min(5, rows.length)));
	});

	test.each(snapshots)('as JSON, in a list of its name: %s', (_, snapshot) => {
		for (const iteration of [undefined, 0]) {
			const document = JSON.parse(textOf('json', snapshot, {view, query, iteration})) as Record<string, unknown[]>;
			expect(Array.isArray(document[id])).toBe(true);
			expect(JSON.parse(textOf('json', snapshot, {view, query, iteration, top: 1}))[id].length).toBeLessThanOrEqual(1);
		}
	});

	test.each(snapshots)('as CSV, with columns of their own: %s', (_, snapshot) => {
		const rows = parseCsv(textOf('csv', snapshot, {view, query}));
		expect(rows.length).toBeGreaterThanOrEqual(view.query(snapshot, undefined, query).rows.length);
		expect(Object.keys(rows[0] ?? {})).toEqual(rows.length === 0 ? [] : ['taken_at', ...view.files.csv.map(column => column.id)]);
	});
});

test('the votes format is the Stacks view: the same stacks, counts and fingerprints', () => {
	const snapshot = serviceSnapshots().whole;
	const more = {query: {...defaultQuery, states: ['RUNNABLE'] as const, depth: 4, sort: {column: 'ticks', reverse: false}}, depth: 4, view: views.find(({id}) => id === 'stacks')};
	const {stacks} = JSON.parse(textOf('json', snapshot, more)) as {stacks: Array<{ticks: number; fingerprint: string}>};
	const votes = parseVotes(textOf('votes', snapshot, more));
	expect(new Map(votes.map(({fingerprint, votes: ticks}) => [fingerprint, ticks]))).toEqual(new Map(stacks.filter(({ticks}) => ticks > 0).map(({fingerprint, ticks}) => [fingerprint, ticks])));
	expect(votes.length).toBeGreaterThan(1);
});
