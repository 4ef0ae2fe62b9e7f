import {expect, test} from 'vitest';
import type {TargetVitals} from '../../source/model/snapshot.js';
import {piecesOf, type Written} from '../../source/exports/common/export-format.js';
import {csv} from '../../source/exports/formats/csv.js';
import {json} from '../../source/exports/formats/json.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {safe} from '../../source/util/printable.js';
import {queryMemory} from '../../source/views/memory/memory-rows.js';
import {memoryView} from '../../source/views/memory/memory-view.js';
import {Picture, picture} from '../helpers/picture.js';

const mb = 2 ** 20;
const full: TargetVitals = {
	heapUsedBytes: 233 * mb,
	heapAfterGcBytes: 198 * mb,
	heapGrowthBytesPerMin: 29 * mb,
	heapMaxBytes: 256 * mb,
	youngUsedBytes: 35 * mb,
	youngCapacityBytes: 60 * mb,
	oldUsedBytes: 198 * mb,
	oldCapacityBytes: 196 * mb,
	metaspaceCommittedBytes: 71 * mb,
	metaspaceUsedBytes: 69 * mb,
	metaspaceMaxBytes: 80 * mb,
	metaspaceGrowthBytesPerMin: 3 * mb,
	loadedClasses: 4102,
	classLoadsPerS: 9,
	directBytes: 655 * mb,
	directBuffers: 1310,
	directMaxBytes: 700 * mb,
	directGrowthBytesPerMin: 120 * mb,
	mappedBytes: 6 * mb,
	mappedBuffers: 1,
	codeCacheBytes: 21 * mb,
	codeCacheMaxBytes: 240 * mb,
	pendingFinalizers: 50,
	rssBytes: 1434 * mb,
	rssAnonBytes: 1400 * mb,
	memoryBytes: 1420 * mb,
	memoryMaxBytes: 1536 * mb,
	threadCount: 1021,
	threadGrowthPerMin: 3000,
	tasks: 1021,
	tasksMax: 4096,
	tasksGrowthPerMin: 3000,
	openFiles: 1024,
	openFilesMax: 1024,
	openFilesGrowthPerMin: 0,
	openSockets: 1001,
	openPipes: 2,
	openPaths: 21,
	gcPercent: 57,
};

const textOf = (written: Written) => [...piecesOf(written)].join('');
const alone = picture('main | R | a.A.b:1');
const withVitals = (now: TargetVitals, recent: ReadonlyArray<readonly TargetVitals[]> = []): Query =>
	({...defaultQuery, sort: memoryView.sort, vitals: {now, recent}});

/** The rows in words: what, used, of, percent, more. */
function rowsOf(query: Query, snapshot = alone, since = undefined as typeof alone | undefined): string[] {
	const context = {measure: 'core', overMs: 100, fullNames: false, room: 40} as const;
	return queryMemory(snapshot, since, query).rows.map(row =>
		memoryView.columns.filter(({screenOnly}) => !screenOnly).map(column => column.value(row, context)).join('|'));
}

test('everything that is known has a row, with its limit and what else is known', () => {
	expect(rowsOf(withVitals(full))).toEqual([
		'heap|233M|256M|77.3|↗ 29M/min, full in 2m, 198M after collection',
		'  young|35M|||60M reserved now',
		'  old|198M|||196M reserved now',
		'metaspace|71M|80M|88.8|↗ 3M/min, full in 3m, 69M in use, 4102 classes, 9 loaded a second',
		'direct memory|655M|700M|93.6|↗ 120M/min, full in 22s, 1310 buffers',
		'mapped files|6M|||1 buffer',
		'code cache|21M|240M||committed',
		'finalizers|50|||objects wait',
		'RSS|1.4G|||1.4G anonymous, 34M of files',
		'cgroup memory|1.4G|1.5G|92.4|without cached files',
		'threads|1021|||↗ 3000/min',
		'cgroup threads|1021|4096|24.9|↗ 3000/min, full in 1m01s',
		'open files|1024|1024|100|1001 sockets, 2 pipes, 21 files',
		'collections|57.0%||||',
	].map(row => row.replace('||||', '|||')));
	expect(queryMemory(alone, undefined, withVitals(full)).caption).toBeUndefined();
});

test('shared memory, which ZGC has its heap in, is not of files', () => {
	expect(rowsOf(withVitals({rssBytes: 111 * mb, rssAnonBytes: 24 * mb, rssSharedBytes: 63 * mb})))
		.toEqual(['RSS|111M|||24M anonymous, 63M shared, such as ZGC\'s heap, 24M of files']);
});

test('threads that come and go in waves have the most of the last minutes', () => {
	expect(rowsOf(withVitals({threadCount: 20, threadsBefore: 520})))
		.toEqual(['threads|20|||520 within the last 10 minutes']);
	expect(rowsOf(withVitals({threadCount: 520, threadsBefore: 520}))).toEqual(['threads|520|||']);
});

test('what is not known has no row; a file without figures says so', () => {
	expect(rowsOf(withVitals({openFiles: 7, heapUsedBytes: mb}))).toEqual(['heap|1M|||', 'open files|7|||']);
	expect(queryMemory(alone, undefined, withVitals({openFiles: 7})).caption).toMatch(/^Only the memory engine reads/);
	const unknown = queryMemory(alone, undefined, defaultQuery);
	expect(unknown.rows).toEqual([]);
	expect(memoryView.emptyText!(unknown, defaultQuery)).toMatch(/^memory and limits are not known here/);
});

test('threads are counted by name without digits, those of most first, with their growth in the window', () => {
	const drawing = new Picture();
	const workers = (count: number) => Array.from({length: count}, (_, index) => `worker-${index} | w | a.A.b:1`);
	drawing.draw([...workers(3), 'http-1-x | R | a.A.c:2', 'http-2-x | R | a.A.c:2', 'alone | R | a.A.d:3'].join('\n'));
	const since = drawing.build();
	drawing.draw([...workers(5), 'http-1-x | R | a.A.c:2', 'http-2-x | R | a.A.c:2', 'alone | R | a.A.d:3'].join('\n'));
	const now = drawing.build();
	expect(rowsOf(withVitals({threadCount: 20}), now, since)).toEqual([
		'threads|20|||', '  worker-*|5|||+2 in this window', '  http-*-x|2|||',
	]);
	const [, workersRow] = queryMemory(now, since, withVitals({threadCount: 20})).rows;
	expect(memoryView.threadsOf!(workersRow)).toMatchObject({label: 'worker-*'});
	expect(memoryView.threadsOf!(workersRow).keys).toHaveLength(5);
	expect(memoryView.detail(now, since, withVitals({}), workersRow.key, workersRow).threads).toHaveLength(5);
});

test('collections of the last minute are counted by cause; of several at once only the last one\'s is known', () => {
	const metadata = safe`Metadata GC Threshold`;
	const recent = [
		[{collections: 1, gcCause: metadata}, {collections: 0, gcCause: metadata}],
		[],
		[{collections: 3, gcCause: safe`G1 Evacuation Pause`}, {collections: 1, gcCause: metadata}, {}],
	];
	expect(rowsOf(withVitals({gcPercent: 4}, recent))).toEqual([
		'collections|4.0%|||Metadata GC Threshold 2, G1 Evacuation Pause 1, cause not seen 2',
	]);
	expect(queryMemory(alone, undefined, withVitals({openFiles: 5, openFilesMax: 10}, [
		[{openFiles: 1}], [], [{openFiles: 10}, {openFiles: 10}],
	])).rows[0].trend).toBe('▁ █');
});

test('rows are sorted, filtered and written to files like those of every view', () => {
	const names = (more: Partial<Query>) =>
		queryMemory(alone, undefined, {...withVitals(full), ...more}).rows.map(({name}) => name.trim());
	expect(names({filter: safe`metaspace|socket`})).toEqual(['metaspace', 'open files']);
	expect(names({filter: safe`pct>90`})).toEqual(['direct memory', 'cgroup memory', 'open files']);
	expect(names({sort: {column: safe`percent`, reverse: false}}).slice(0, 2)).toEqual(['open files', 'direct memory']);
	const options = {query: withVitals({...full, youngUsedBytes: undefined}), view: memoryView, version: '1', vitals: full};
	expect(textOf(csv.write(alone, undefined, options)).split('\r\n')[1]).toMatch(
		/^[\dT:.Z-]+,heap,244318208,268435456,bytes,77\.34,"↗ 29M\/min, full in 2m, 198M after collection"$/,
	);
	const {memory} = JSON.parse(textOf(json.write(alone, undefined, options))) as {memory: unknown[]};
	expect(memory[0]).toEqual({
		what: 'heap', used: 233 * mb, max: 256 * mb, unit: 'bytes', usedPercent: 77.344,
		more: '↗ 29M/min, full in 2m, 198M after collection',
	});
	expect(memory).toContainEqual(expect.objectContaining({what: 'RSS', max: null, usedPercent: null}));
});
