import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {figureColumn, textColumn, type Column} from '../../query/columns/column.js';
import {formatCount, formatPercent, formats, plural, sparkline} from '../../query/columns/format.js';
import {sortRows} from '../../query/columns/sort.js';
import {countedThreads, scopeOf} from '../../query/counters/scope.js';
import {membersOfAll} from '../../query/counters/thread-table.js';
import {filtered, type FilterFields} from '../../query/filter/filter.js';
import {vitalsTrend, type VitalsSteps} from '../../query/past/recent-vitals.js';
import {
	fullInMs, fullInText, heapGrowing, steadyGrowth, trendArrows, trendOf, type Growing,
} from '../../query/summary/growth-trend.js';
import {limitRole, shortBytes, usedPercent} from '../../query/summary/target-limits.js';
import type {Query} from '../../query/types/query.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {joined, poolName, safe, type Printable} from '../../util/printable.js';
import type {ViewResult} from '../common/view.js';

const units = {bytes: shortBytes, count: formatCount, percent: (value: number) => safe`${formatPercent(value)}%`};

/** A row of the Memory view: something that the process lives on. */
export type MemoryRow = {
	readonly key: string;
	readonly name: Printable;
	readonly used: number;
	/** The most that may be used; undefined if there is no limit. */
	readonly max?: number;
	readonly unit: keyof typeof units;
	/** What the figures are, a sentence. */
	readonly about: Printable;
	/** More figures. */
	readonly note: Printable;
	/** Percentage of the limit that is used up for good; undefined without a limit. */
	readonly percent?: number;
	/** The last minute as a sparkline; empty if unknown. */
	readonly trend: Printable;
	/** Keys of the threads in the row, and their place among the rows. */
	readonly threadKeys: readonly number[];
	readonly order: number;
};

export const memoryColumns: ReadonlyArray<Column<MemoryRow>> = [
	textColumn('what', row => row.name, {
		heading: 'WHAT', title: 'what', width: 20, fromColumns: 0, sortKeys: ['name'],
		description: 'what the process lives on',
		sortBy: [row => row.order],
	}),
	textColumn('trend', row => row.trend, {
		heading: 'LAST 60s', title: 'trend', width: 12, fromColumns: 74, screenOnly: true,
		description: 'the last minute in steps of 5 s; full height is the limit, or the highest of them',
		role: () => 'key',
	}),
	figureColumn('used', row => row.used, formats.count, {
		heading: 'USED', title: 'used', width: 7, fromColumns: 0, sortKeys: ['self'],
		description: 'how much is in use, yellow from 70 % of a limit and red from 85 %',
		value: row => units[row.unit](row.used),
		role: row => row.percent === undefined ? undefined : limitRole(row.percent),
	}),
	figureColumn('max', row => row.max ?? 0, formats.count, {
		heading: 'OF', title: 'limit', width: 7, fromColumns: 40,
		description: 'the most that may be used; blank if there is no limit, or it cannot be read',
		value: row => row.max === undefined ? safe`` : units[row.unit](row.max),
		exportValue: row => row.max ?? '',
	}),
	figureColumn('percent', row => row.percent ?? 0, formats.percent, {
		heading: '%', title: 'share of the limit', width: 5, fromColumns: 52, sortKeys: ['total'],
		description: 'percentage of the limit; of the heap without garbage, of metaspace and code with what is committed',
		value: row => row.percent === undefined ? safe`` : formatPercent(row.percent),
		exportValue: row => row.percent === undefined ? '' : formats.percent.file(row.percent),
		role: row => row.percent === undefined ? undefined : limitRole(row.percent),
	}),
	textColumn('more', row => row.note, {
		heading: 'MORE', title: 'more', width: 0, fromColumns: 0, description: 'more figures',
	}),
];

type Optional = Pick<MemoryRow, 'max' | 'note' | 'percent' | 'threadKeys' | 'unit'>;

type Details = Pick<MemoryRow, 'about'> & Partial<Optional> & {
	/** By how much the figure grows, over the last minute and over several; undefined if that is unknown. */
	readonly growthPerMin?: number;
	readonly steadyPerMin?: number;
	/** Returns the figure of the trend. */
	trendOf?(vitals: TargetVitals): number | undefined;
};

/** Makes rows, in their order, of the figures that are known. */
class Rows {
	readonly rows: MemoryRow[] = [];
	readonly #recent: VitalsSteps;

	constructor(recent: VitalsSteps) {
		this.#recent = recent;
	}

	/** Adds a row; none if the figure is unknown. */
	add(key: string, name: Printable, used: number | undefined, given: Details): void {
		if (used === undefined) {
			return;
		}

		const {trendOf: figureOf, growthPerMin, steadyPerMin, ...details} = given;
		const {max, note = safe``, unit = 'bytes'} = details;
		const trend = figureOf && vitalsTrend(this.#recent, figureOf, max ?? 0);
		this.rows.push({
			key,
			name,
			used,
			percent: max ? usedPercent({used, max}) : undefined,
			threadKeys: [],
			trend: trend ? sparkline(trend) : safe``,
			order: this.rows.length,
			...details,
			unit,
			note: parts(growthText({used, max, growthPerMin, steadyPerMin}, unit), note),
		});
	}
}

/** Returns what the process lives on at the end of the window, as far as it could be read. */
export function queryMemory(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<MemoryRow> {
	const {now = {}, recent = []} = query.vitals ?? {};
	const rows = new Rows(recent);
	addHeap(rows, now);
	addNonHeap(rows, now);
	addProcess(rows, now);
	addThreads(rows, now, {snapshot, since, query});
	addFiles(rows, now);
	addCollections(rows, now, recent);
	const matching = filtered(rows.rows, scopeOf(snapshot, query).filter, filterFields);
	const sorted = sortRows(matching, memoryColumns, query.sort);
	const allRows = rows.rows.length;
	return allRows === 0
		? {rows: sorted, allRows, missing: missingText(now)}
		: {rows: sorted, allRows, caption: captionOf(now)};
}

const filterFields: FilterFields<MemoryRow> = {
	text: ({name, note}) => `${name.trim()}\n${note}`,
	percent: row => row.percent ?? 0,
	threads: row => row.threadKeys.length,
};

/** Says that the figures are not known; undefined if some are. */
function missingText(vitals: TargetVitals): Printable | undefined {
	return Object.values(vitals).every(value => value === undefined)
		? safe`memory and limits are not known here: live sessions and recordings on the screen have them`
		: undefined;
}

/** Says which figures are missing; undefined if none are. */
function captionOf(vitals: TargetVitals): Printable | undefined {
	const missing = missingText(vitals);
	if (missing) {
		return safe`${missing}.`;
	}

	if (vitals.isDirectUnknown) {
		return safe`Direct and mapped buffers cannot be read now: the collector has moved what counts them.`;
	}

	return vitals.codeCacheBytes === undefined
		? safe`Only the memory engine reads direct and mapped buffers, code cache and finalizers.`
		: undefined;
}

/** Joins texts to a sentence of parts, without those that are empty. */
function parts(...texts: readonly Printable[]): Printable {
	return joined(texts.filter(Boolean), safe`, `);
}

/** Says by how much a figure rises or falls, and when it is full; empty if it does neither, or that is unknown. */
function growthText(growing: Growing, unit: keyof typeof units): Printable {
	const trend = trendOf(growing) ?? 'flat';
	const perMin = (growth: number) => safe`${units[unit](Math.round(Math.abs(growth)))}/min`;
	const full = (inMs: number | undefined) => inMs === undefined ? safe`` : safe`full in ${fullInText(inMs)}`;
	if (trend !== 'flat') {
		return parts(safe`${trendArrows[trend]} ${perMin(growing.growthPerMin ?? 0)}`, full(fullInMs(growing)));
	}

	const steady = steadyGrowth(growing, Infinity);
	return steady ? parts(safe`${trendArrows.rising} ${perMin(steady.perMin)} for minutes`, full(steady.inMs)) : safe``;
}

function bytesOf(bytes: number | undefined, what: Printable): Printable {
	return bytes === undefined ? safe`` : safe`${shortBytes(bytes)} ${what}`;
}

function addHeap(rows: Rows, vitals: TargetVitals): void {
	const {heapUsedBytes, heapAfterGcBytes, heapMaxBytes: max} = vitals;
	rows.add('heap', safe`heap`, heapUsedBytes, {
		about: safe`The Java heap and its maximum, as of the last collection. What rises until it is full is a leak.`,
		max,
		percent: max && heapAfterGcBytes !== undefined ? usedPercent({used: heapAfterGcBytes, max}) : undefined,
		note: parts(
			growthText(heapGrowing(vitals), 'bytes'),
			bytesOf(heapAfterGcBytes, safe`after collection`),
		),
		trendOf: ({heapAfterGcBytes: after, heapUsedBytes: used}) => heapAfterGcBytes === undefined ? used : after,
	});
	const {youngUsedBytes, youngCapacityBytes, oldUsedBytes, oldCapacityBytes} = vitals;
	rows.add('young', safe`  young`, youngUsedBytes, {
		about: safe`The young generation and its current size: new objects, and those that survived few collections.`,
		note: bytesOf(youngCapacityBytes, safe`reserved now`),
		trendOf: ({youngUsedBytes: used}) => used,
	});
	rows.add('old', safe`  old`, oldUsedBytes, {
		about: safe`The old generation and its current size: objects that survived several collections.`,
		note: bytesOf(oldCapacityBytes, safe`reserved now`),
		trendOf: ({oldUsedBytes: used}) => used,
	});
}

function addNonHeap(rows: Rows, vitals: TargetVitals): void {
	const {loadedClasses, classLoaders, classLoadsPerS = 0, directBuffers, mappedBuffers, pendingFinalizers} = vitals;
	rows.add('metaspace', safe`metaspace`, vitals.metaspaceCommittedBytes, {
		about: safe`Memory that is committed for classes, as of the last collection, and -XX:MaxMetaspaceSize.`,
		max: vitals.metaspaceMaxBytes,
		growthPerMin: vitals.metaspaceGrowthBytesPerMin,
		steadyPerMin: vitals.metaspaceSteadyGrowthBytesPerMin,
		note: parts(
			bytesOf(vitals.metaspaceUsedBytes, safe`in use`),
			loadedClasses === undefined ? safe`` : safe`${loadedClasses} classes`,
			classLoaders === undefined ? safe`` : plural(classLoaders, safe`class loader`),
			classLoadsPerS >= 1 ? safe`${Math.round(classLoadsPerS)} loaded a second` : safe``,
		),
		trendOf: ({metaspaceCommittedBytes}) => metaspaceCommittedBytes,
	});
	rows.add('class-space', safe`  class space`, vitals.classSpaceCommittedBytes, {
		about: safe`The part of metaspace for compressed class pointers, and -XX:CompressedClassSpaceSize.`,
		max: vitals.classSpaceMaxBytes,
		growthPerMin: vitals.classSpaceGrowthBytesPerMin,
		steadyPerMin: vitals.classSpaceSteadyGrowthBytesPerMin,
		trendOf: ({classSpaceCommittedBytes}) => classSpaceCommittedBytes,
	});
	rows.add('direct', safe`direct memory`, vitals.directBytes, {
		about: safe`Direct buffers, but not what Netty allocates itself; the limit is MaxDirectMemorySize, or the heap's.`,
		max: vitals.directMaxBytes,
		growthPerMin: vitals.directGrowthBytesPerMin,
		steadyPerMin: vitals.directSteadyGrowthBytesPerMin,
		note: directBuffers === undefined ? safe`` : plural(directBuffers, safe`buffer`),
		trendOf: ({directBytes}) => directBytes,
	});
	rows.add('mapped', safe`mapped files`, vitals.mappedBytes, {
		about: safe`Files that the program maps (FileChannel.map). Only what was touched is resident.`,
		note: mappedBuffers === undefined ? safe`` : plural(mappedBuffers, safe`buffer`),
		trendOf: ({mappedBytes}) => mappedBytes,
	});
	rows.add('code', safe`code cache`, vitals.codeCacheBytes, {
		about: safe`Memory that is committed for compiled code, and reserved for it. It never shrinks.`,
		max: vitals.codeCacheMaxBytes,
		percent: undefined,
		note: safe`committed`,
		trendOf: ({codeCacheBytes}) => codeCacheBytes,
	});
	rows.add('finalizers', safe`finalizers`, pendingFinalizers, {
		about: safe`Objects that wait for their finalizers, which one thread runs. Until then they stay in the heap.`,
		unit: 'count',
		note: pendingFinalizers ? safe`objects wait` : safe``,
		trendOf: vitalsThen => vitalsThen.pendingFinalizers,
	});
}

function addProcess(rows: Rows, vitals: TargetVitals): void {
	const {rssBytes, rssAnonBytes, rssSharedBytes = 0, memoryBytes, memoryMaxBytes} = vitals;
	rows.add('rss', safe`RSS`, rssBytes, {
		about: safe`Resident memory of the process: heap, metaspace, code, stacks, buffers and all native memory.`,
		note: parts(
			bytesOf(rssAnonBytes, safe`anonymous`),
			rssSharedBytes === 0 ? safe`` : bytesOf(rssSharedBytes, safe`shared, such as ZGC's heap`),
			rssAnonBytes === undefined
				? safe``
				: bytesOf(Math.max(0, (rssBytes ?? 0) - rssAnonBytes - rssSharedBytes), safe`of files`),
		),
		trendOf: ({rssBytes: bytes}) => bytes,
	});
	rows.add('memory', safe`cgroup memory`, memoryBytes, {
		about: safe`Memory of all processes of the cgroup. Above the limit the kernel ends one of them.`,
		max: memoryMaxBytes,
		note: safe`without cached files`,
		trendOf: then => then.memoryBytes,
	});
}

/** Names of threads that are shown, those of most threads first. */
const maxNames = 5;

type Window = {readonly snapshot: Snapshot; readonly since: Snapshot | undefined; readonly query: Query};

function addThreads(rows: Rows, vitals: TargetVitals, window: Window): void {
	const {threadCount = 0, threadsBefore = 0, threadGrowthPerMin, tasks, tasksMax, tasksGrowthPerMin} = vitals;
	rows.add('threads', safe`threads`, vitals.threadCount, {
		about: safe`Threads of the process, native ones included. Below, those of most of them by name, digits as *.`,
		unit: 'count',
		growthPerMin: threadGrowthPerMin,
		steadyPerMin: vitals.threadSteadyGrowthPerMin,
		note: threadsBefore > threadCount ? safe`${formatCount(threadsBefore)} within the last 10 minutes` : safe``,
		trendOf: then => then.threadCount,
	});
	const now = threadsByName(window.snapshot, window.query);
	const before = window.since && threadsByName(window.since, window.query);
	const sizeOf = ({threads}: Snapshot, indexes: readonly number[] = []) => membersOfAll(threads, indexes);
	const most = [...now].map(([name, threads]) => ({name, threads, count: sizeOf(window.snapshot, threads)}))
		.filter(({count}) => count > 1).sort((a, b) => b.count - a.count).slice(0, maxNames);
	for (const {name, threads, count} of most) {
		const grown = before ? count - sizeOf(window.since, before.get(name)) : 0;
		rows.add(`threads ${name}`, safe`  ${name}`, count, {
			about: safe`Live threads of this name, with * for digits.`,
			unit: 'count',
			note: grown === 0 ? safe`` : safe`${grown > 0 ? '+' : ''}${grown} in this window`,
			threadKeys: threads.map(thread => window.snapshot.threads.key[thread]),
		});
	}

	rows.add('tasks', safe`cgroup threads`, tasks, {
		about: safe`Threads of all processes of the cgroup, and the most that it may have (pids.max).`,
		unit: 'count',
		max: tasksMax,
		growthPerMin: tasksGrowthPerMin,
		trendOf: then => then.tasks,
	});
}

/** Returns the live threads by name, digits as *. */
function threadsByName(snapshot: Snapshot, query: Query): ReadonlyMap<Printable, readonly number[]> {
	const byName = new Map<Printable, number[]>();
	for (const thread of countedThreads(snapshot, scopeOf(snapshot, query))) {
		if (snapshot.threads.alive[thread] === 1) {
			getOrCreate(byName, poolName(snapshot.threads.name[thread]), () => []).push(thread);
		}
	}

	return byName;
}

/** Of fewer open files it does not matter what they are. */
const leastOfAKind = 10;

function addFiles(rows: Rows, vitals: TargetVitals): void {
	const {openFiles, openFilesMax, openFilesGrowthPerMin, openSockets, openPipes, openPaths} = vitals;
	const {openMostly, openMostlyCount = 0} = vitals;
	const ofKind = (count: number | undefined, noun: Printable) => count ? plural(count, noun) : safe``;
	rows.add('files', safe`open files`, openFiles, {
		about: safe`Open files of the process, sockets included, and the most that it may have (ulimit -n).`,
		unit: 'count',
		max: openFilesMax,
		growthPerMin: openFilesGrowthPerMin,
		steadyPerMin: vitals.openFilesSteadyGrowthPerMin,
		note: parts(
			ofKind(openSockets, safe`socket`),
			ofKind(openPipes, safe`pipe`),
			ofKind(openPaths, safe`file`),
			openMostly && openMostlyCount >= leastOfAKind ? safe`most: ${openMostlyCount} ${openMostly}` : safe``,
		),
		trendOf: then => then.openFiles,
	});
}

function addCollections(rows: Rows, {gcPercent}: TargetVitals, recent: VitalsSteps): void {
	const causes = collectionsByCause(recent);
	rows.add('collections', safe`collections`, gcPercent, {
		about: safe`Share of the time that collections stopped the program; collections of the last minute by cause.`,
		unit: 'percent',
		note: parts(...causes.map(([cause, count]) => safe`${cause} ${count}`)),
		trendOf: vitals => vitals.gcPercent,
	});
}

/** Returns collections by cause, most first; of several in a second only the last one's cause is seen. */
function collectionsByCause(recent: VitalsSteps): ReadonlyArray<readonly [cause: Printable, count: number]> {
	const counts = new Map<Printable, number>();
	let unseen = 0;
	for (const {collections = 0, gcCause} of recent.flat()) {
		const seen = collections > 0 && gcCause !== undefined ? 1 : 0;
		if (seen > 0) {
			counts.set(gcCause!, 1 + (counts.get(gcCause!) ?? 0));
		}

		unseen += collections - seen;
	}

	const causes = [...counts].sort(([, a], [, b]) => b - a);
	return unseen > 0 ? [...causes, [safe`cause not seen`, unseen]] : causes;
}
