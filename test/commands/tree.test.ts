import {rmSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {openSaved} from '../../source/commands/recording.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {queryFocus} from '../../source/views/focus/focus.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {queryStackHistogram} from '../../source/views/stacks/histogram.js';
import {queryTree} from '../../source/views/tree/tree.js';
import {focusView} from '../../source/views/focus/view.js';
import {treeView} from '../../source/views/tree/view.js';
import {jdks} from '../helpers/jvm.js';
import {runCli} from '../helpers/run.js';
import {untilAsync} from '../helpers/until.js';
import {beside, javaForTest, sharedFolder} from '../helpers/for-test.js';
import type {FocusRow} from '../../source/views/focus/focus-tree.js';
import type {CallNode} from '../../source/views/tree/call-tree.js';

const folder = sharedFolder();

const query: Query = {
	...defaultQuery, by: 'method', states: ['RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'IDLE'], unit: 'ticks', sort: treeView.sort, tree: {isAllOpen: true},
};

/**
What an engine sampled of the program, read from a file. Taken again if the one thread that works, serve-3, had no stack
in some samples: while it waits for a CPU it has none that the memory engine could know.
*/
async function recorded(engine: string, pid: number): Promise<Snapshot> {
	const file = path.join(folder, `${engine}-${pid}.pb.gz`);
	return untilAsync(async () => {
		rmSync(file, {force: true});
		const {status, stderr} = await runCli(String(pid), '--engine', engine, '--interval', '30', '--duration', '1', '--threads', 'serve-*,visit-*,lambda', '--format', 'pprof', '--output', file);
		expect(status, stderr).toBe(0);
		const {snapshot} = await openSaved(file);
		const {rows} = queryLines(snapshot, undefined, {...query, filter: 'thread:serve-3'});
		return (rows.find(({key}) => key === 'KnownTree.find')?.totalTicks ?? 0) > 0.9 * snapshot.session.sampleTicks && snapshot;
	});
}

/** Threads that a number of samples stands for: each of the seven is in every sample. */
const threadsOf = (ticks: number, {session: {sampleTicks}}: Snapshot) => Math.round(ticks / sampleTicks);
const named = <Row extends CallNode>(rows: readonly Row[], name: string): readonly Row[] => rows.filter(({className, method}) => className === 'KnownTree' && method === name);

describe.concurrent.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test('a known tree of calls is what Lines, Tree and Focus say it is, with both engines', beside(async () => {
		const java = await javaForTest('KnownTree', {jdk, under: []});
		for (const engine of ['memory', 'attach']) {
			const snapshot = await recorded(engine, java.pid);
			const threads = (ticks: number) => threadsOf(ticks, snapshot);
			const totals = new Map(queryLines(snapshot, undefined, query).rows.map(row => [row.key, [threads(row.totalTicks), threads(row.selfTicks)]]));
			const knownTotals = {find: 7, rest: 5, fetch: 1, parse: 1, handle: 4, serve: 4, visit: 2};
			expect(Object.fromEntries(Object.keys(knownTotals).map(method => [method, totals.get(`KnownTree.${method}`)?.[0]]))).toEqual(knownTotals);
			expect(totals.get('KnownTree.parse')?.[1]).toBe(1);

			const tree = [...queryTree(snapshot, undefined, query).rows];
			expect(named(tree, 'find').map(row => threads(row.totalTicks)).sort((a, b) => a - b)).toEqual([1, 1, 1, 2, 2]);
			// Each of the six calls hangs from the one before.
			const visits = named(tree, 'visit');
			expect(visits.map(row => threads(row.totalTicks))).toEqual([2, 2, 2, 2, 2, 2]);
			expect(visits.slice(1).map(({parentKey}) => parentKey)).toEqual(visits.slice(0, -1).map(({key}) => key));
			const lambdas = tree.filter(({className, method}) => className === 'KnownTree' && method.startsWith('lambda$'));
			expect(lambdas.filter(row => threads(row.totalTicks) === 1).length).toBeGreaterThanOrEqual(3);

			const votes = queryStackHistogram(snapshot, undefined, {...query, filter: 'KnownTree.find'}).rows;
			expect(threads(votes.reduce((sum, {selfTicks}) => sum + selfTicks, 0))).toBe(7);
			const recursive = votes.filter(({frames}) => frames.filter(({method}) => method === 'visit').length === 6);
			expect(threads(recursive.reduce((sum, {selfTicks}) => sum + selfTicks, 0))).toBe(2);

			const focus = (method: string): readonly FocusRow[] => [...queryFocus(snapshot, undefined, {...query, sort: focusView.sort, method}).rows];
			const find = focus('KnownTree.find');
			const below = (part: FocusRow['part'], name: string) => named(find.filter(row => row.part === part), name).map(row => threads(row.totalTicks));
			expect([find[0].isMethod, threads(find[0].totalTicks)]).toEqual([true, 7]);
			expect([below('calls', 'rest'), below('calls', 'fetch'), below('calls', 'parse')]).toEqual([[5], [1], [1]]);
			expect([below('callers', 'handle'), below('callers', 'serve')]).toEqual([[4], [4]]);
			const [rest] = named(find, 'rest');
			const [parse] = named(find, 'parse');
			expect(Math.abs(rest.totalPercent - (500 / 7))).toBeLessThan(5);
			expect(parse.cpuPercent).toBeGreaterThan(90);
			expect(rest.cpuPercent).toBeLessThan(5);
			expect(threads(focus('KnownTree.visit')[0].totalTicks)).toBe(2);
		}
	}));
});
