import type {Printable} from '../util/printable.js';
import {sumOf} from '../util/sum.js';
import {getOrCreate} from '../util/get-or-create.js';
import {arrayFrom, makeArrays, namesOf} from '../model/column-types.js';
import {counterColumns, contentionColumns} from '../model/schema.js';
import {rootNode} from '../model/frame.js';
import {isJvmWork} from '../model/jvm-stacks.js';
import type {Counters, Snapshot} from '../model/snapshot.js';
import {stateCount} from '../model/thread-state.js';
import {rowsInWindow} from '../model/rows-in-window.js';
import {makerOf, measuredInWindow} from './counters/allocated.js';
import {attributionOf} from './counters/attribution.js';
import {sumsByNode} from './counters/buckets.js';
import {countedThreads, scopeOf, type Scope, isCounted} from './counters/scope.js';
import {byNumber, byText} from './columns/sort.js';
import type {OwnCodeRule} from './counters/waiting-stacks.js';
import {stackIndex, type Grouping} from './counters/stack-index.js';
import {stackRows, type StackRow} from './stack-rows.js';
import type {Location, LockInfo, Query, StateTicks, Weight} from './types/query.js';
import {countedLines, type LineRow} from './counted-lines.js';
import {alignedTo} from './counters/aligned.js';
import {locationName} from './counters/location.js';
import {lockInfo} from './locks/newest-sample.js';
import {groupWaits, type WaitGroup} from './locks/wait-of.js';

/** A thread that blocked others, for how many ticks, where it `took` the lock, and where it was meanwhile (`now`). */
export type Holder = Pick<LockInfo, 'kind' | 'className' | 'ownerName'> & {
	readonly ownerKey?: number;
	readonly ticks: number;
	readonly took: readonly HolderLocation[];
	readonly now: readonly HolderLocation[];
};

/** A location and the ticks that others were blocked meanwhile. */
export type HolderLocation = {readonly location: Location; readonly ticks: number};

/** A thread's samples at the location of a detail. `ticks`: of counted states; `states`: of all states. */
export type DetailThread = {
	readonly key: number;
	readonly name: Printable;
	readonly cpuNs: number;
	readonly ticks: number;
	readonly states: StateTicks;
};

export type Neighbour = Location & Weight;

/** The detail of a line (Enter). Lists are sorted by CPU time, then ticks, and have at most `maxDetailRows` rows. */
export type LineDetail = {
	readonly threads: readonly DetailThread[];
	/** Stacks whose samples count at the location or, if there are none, that contain it. */
	readonly stacks: readonly StackRow[];
	/** Callers of the location's outermost call and callees of its innermost, once per stack. */
	readonly callers: readonly Neighbour[];
	readonly callees: readonly Neighbour[];
	readonly holders: readonly Holder[];
	readonly waits: readonly WaitGroup[];
};

/** The detail of a thread or pool (Enter); `callers` and `callees` are empty. */
type ThreadDetail = LineDetail & {readonly lines: readonly LineRow[]};

/** More than a screen shows, few enough to format at once. */
const maxDetailRows = 100;

/** The detail of a row that no longer exists, or has no samples. */
export const noDetail: LineDetail = Object.freeze({
	threads: [], stacks: [], callers: [], callees: [], holders: [], waits: [],
});

/** Returns the detail of a row of the Lines view. The filter's threads and states apply, its words do not. */
export function queryLineDetail(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	rowKey: string,
): LineDetail {
	const {dictionary} = snapshot;
	const index = stackIndex(dictionary);
	const grouping = index.grouping(query.by);
	const group = grouping.groupOfKey.get(rowKey);
	if (group === undefined) {
		return noDetail;
	}

	const {className, method} = grouping.locations[group];
	const isOfJvm = isJvmWork(className);
	const scope: Scope = {...scopeOf(snapshot, query), work: isOfJvm ? 'all' : undefined};
	const counters = measuredInWindow(snapshot, since, scope);
	const attributed = attributionOf(dictionary, query);
	const isAttributed = (node: number) =>
		node !== rootNode && grouping.groupOfFrame[dictionary.nodeFrame[attributed[node]]] === group;
	// Exceptions count at the line that made them, which called the frame of their class.
	const causeOf = (node: number) => scope.unit === 'exceptions' ? makerOf(dictionary, node) : node;
	const atLine = selectCounters(counters, node => isAttributed(node) || isAttributed(causeOf(node)));
	// In Lines all work of a kind is one row.
	const isAllOfKind = isOfJvm && method === '';
	const ofRow = atLine.count > 0 && !isAllOfKind
		? atLine
		: selectCounters(counters, containing(snapshot, grouping, group));
	return {
		...threadsAndWaits(snapshot, since, {counters: ofRow, scope, rule: query, isWanted: isAttributed}),
		stacks: stackRows(snapshot, ofRow, scope).slice(0, maxDetailRows),
		...neighbours(snapshot, counters, scope, grouping, group),
	};
}

/** Returns the detail of some threads (those of a row of the Threads view). */
export function queryThreadDetail(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	threadKeys: readonly number[],
): ThreadDetail {
	const ofThreads = {...query, threadKeys: new Set(threadKeys)};
	const scope = scopeOf(snapshot, ofThreads);
	const counters = measuredInWindow(snapshot, since, scope);
	const lines = [...countedLines(snapshot, since, ofThreads, scope).rows].sort((a, b) =>
		byNumber(b.selfCpuNs, a.selfCpuNs) || byNumber(b.selfTicks, a.selfTicks) || byText(a.key, b.key));
	return {
		...threadsAndWaits(snapshot, since, {counters, scope, rule: query, isWanted: () => true}),
		stacks: stackRows(snapshot, counters, scope).slice(0, maxDetailRows),
		lines: lines.slice(0, maxDetailRows),
	};
}

/** Returns the detail of a row of the Stacks view: its threads, what blocked them, and what they wait for. */
export function queryStackDetail(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	row: {isOf(node: number): boolean} | undefined,
): LineDetail {
	const scope = scopeOf(snapshot, query);
	const isWanted = (node: number) => row?.isOf(node) === true;
	return threadsAndWaits(snapshot, since, {
		counters: selectCounters(measuredInWindow(snapshot, since, scope), isWanted),
		scope,
		rule: query,
		isWanted,
	});
}

/** Returns the counters' threads and, at the wanted stacks, who blocked threads and what they wait for. */
function threadsAndWaits(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	{
		counters,
		scope,
		rule,
		isWanted,
	}: {
		readonly counters: Counters;
		readonly scope: Scope;
		readonly rule: OwnCodeRule;
		readonly isWanted: (node: number) => boolean;
	},
): LineDetail {
	const waiting = countedThreads(snapshot, scope).filter(thread => isWanted(snapshot.threads.node[thread]));
	return {
		...noDetail,
		threads: detailThreads(snapshot, counters, scope),
		holders: holdersOf(snapshot, since, scope, isWanted),
		waits: groupWaits(snapshot, waiting, rule).slice(0, maxDetailRows),
	};
}

function selectCounters(counters: Counters, isWanted: (node: number) => boolean): Counters {
	const wanted: number[] = [];
	for (let counter = 0; counter < counters.count; counter++) {
		if (isWanted(counters.node[counter])) {
			wanted.push(counter);
		}
	}

	const arrays = makeArrays(
		counterColumns,
		namesOf(counterColumns),
		(column, name) => arrayFrom(column, wanted.map(counter => counters[name][counter])),
	);
	return {count: wanted.length, ...arrays};
}

/** Returns a test for stacks with a frame of the group: nodes inherit it from their callers, which have smaller ids. */
function containing({dictionary}: Snapshot, {groupOfFrame}: Grouping, group: number): (node: number) => boolean {
	const contains = new Uint8Array(dictionary.nodeCount);
	for (let node = 1; node < dictionary.nodeCount; node++) {
		contains[node] = groupOfFrame[dictionary.nodeFrame[node]] === group ? 1 : contains[dictionary.nodeParent[node]];
	}

	return node => contains[node] === 1;
}

function detailThreads({threads}: Snapshot, counters: Counters, {countedMask}: Scope): DetailThread[] {
	const rows = new Map<number, {cpuNs: number; ticks: number; states: number[]}>();
	for (let counter = 0; counter < counters.count; counter++) {
		const thread = counters.thread[counter];
		const row = getOrCreate(
			rows,
			thread,
			() => ({cpuNs: 0, ticks: 0, states: Array.from({length: stateCount}, () => 0)}),
		);
		row.cpuNs += counters.cpuNs[counter];
		row.states[counters.state[counter]] += counters.ticks[counter];
		row.ticks += (countedMask & (1 << counters.state[counter])) === 0 ? 0 : counters.ticks[counter];
	}

	return [...rows]
		.map(([thread, row]) => ({key: threads.key[thread], name: threads.name[thread], ...row}))
		.sort((a, b) => byHeat(a, b) || byNumber(allTicks(b), allTicks(a)) || byNumber(a.key, b.key))
		.slice(0, maxDetailRows);
}

function allTicks({states}: {readonly states: readonly number[]}): number {
	return sumOf(states, ticks => ticks);
}

/** Sums callers and callees in one pass from callees to callers, which also sums every subtree. */
function neighbours(
	{dictionary}: Snapshot,
	counters: Counters,
	scope: Scope,
	{groupOfFrame, outermost, locations, keys}: Grouping,
	group: number,
): Pick<LineDetail, 'callers' | 'callees'> {
	const {nodeCount, nodeParent, nodeFrame} = dictionary;
	const whole = sumsByNode(counters, nodeCount, scope);
	// As `whole`, without the samples below a deeper call of the group: they count for the callees of that call alone.
	const inner = {ticks: new Float64Array(whole.ticks), cpuNs: new Float64Array(whole.cpuNs)};
	const callers = new Map<number, Weight>();
	const callees = new Map<number, Weight>();
	for (let node = nodeCount - 1; node > rootNode; node--) {
		const parent = nodeParent[node];
		const isOfGroup = groupOfFrame[nodeFrame[node]] === group;
		if (isOfGroup && outermost[node] === 1 && parent !== rootNode) {
			add(callers, groupOfFrame[nodeFrame[parent]], whole.ticks[node], whole.cpuNs[node]);
		} else if (!isOfGroup && parent !== rootNode && groupOfFrame[nodeFrame[parent]] === group) {
			add(callees, groupOfFrame[nodeFrame[node]], inner.ticks[node], inner.cpuNs[node]);
		}

		whole.ticks[parent] += whole.ticks[node];
		whole.cpuNs[parent] += whole.cpuNs[node];
		if (!isOfGroup) {
			inner.ticks[parent] += inner.ticks[node];
			inner.cpuNs[parent] += inner.cpuNs[node];
		}
	}

	const rows = (sums: typeof callers): Neighbour[] => [...sums]
		.filter(([, {ticks, cpuNs}]) => ticks > 0 || cpuNs > 0)
		.sort(([a, aSums], [b, bSums]) => byHeat(aSums, bSums) || byText(keys[a], keys[b]))
		.slice(0, maxDetailRows)
		.map(([neighbour, sums]) => ({...locations[neighbour], ...sums}));
	return {callers: rows(callers), callees: rows(callees)};
}

function add(sums: Map<number, Weight>, group: number, ticks: number, cpuNs: number): void {
	const before = sums.get(group);
	sums.set(group, {ticks: (before?.ticks ?? 0) + ticks, cpuNs: (before?.cpuNs ?? 0) + cpuNs});
}

/** Orders by CPU time, then ticks, the most first. */
function byHeat(a: Weight, b: Weight): number {
	return byNumber(b.cpuNs, a.cpuNs) || byNumber(b.ticks, a.ticks);
}

type HolderSums = {
	readonly owner: Pick<Holder, 'kind' | 'className' | 'ownerName' | 'ownerKey'>;
	ticks: number;
	readonly took: Map<string, HolderLocation>;
	readonly now: Map<string, HolderLocation>;
};

/** Returns the owners of the locks that samples at the wanted stacks waited for, sorted by the ticks they blocked. */
function holdersOf(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	scope: Pick<Scope, 'threads'>,
	isWanted: (node: number) => boolean,
): Holder[] {
	const all = snapshot.contention;
	const contention = rowsInWindow(
		contentionColumns,
		all,
		alignedTo(snapshot, since)?.contention,
		index => isCounted(scope, all.thread[index]) && isWanted(all.node[index]),
	);
	const sums = new Map<string, HolderSums>();
	for (let index = 0; index < contention.count; index++) {
		const ticks = contention.ticks[index];
		const {ownerTookAt, ownerIsAt, ...owner} = lockInfo(snapshot, {
			lockKind: contention.lockKind[index],
			lockClass: contention.lockClass[index],
			owner: contention.owner[index],
			ownerFrame: contention.ownerFrame[index],
			ownerNode: contention.ownerNode[index],
		});
		const key = `${contention.owner[index]} ${owner.kind} ${owner.className}`;
		const ownerKey = snapshot.threads.key.at(contention.owner[index]);
		const sum = getOrCreate<string, HolderSums>(sums, key, () => ({
			owner: {...owner, ...(contention.owner[index] >= 0 && ownerKey !== undefined ? {ownerKey} : {})},
			ticks: 0,
			took: new Map(),
			now: new Map(),
		}));
		sum.ticks += ticks;
		addLocation(sum.took, ownerTookAt, ticks);
		addLocation(sum.now, ownerIsAt, ticks);
	}

	return [...sums]
		.sort(([a, aSum], [b, bSum]) => byNumber(bSum.ticks, aSum.ticks) || byText(a, b))
		.slice(0, maxDetailRows)
		.map(([, {owner, ticks, took, now}]) => ({
			...owner,
			ticks,
			took: sortedLocations(took),
			now: sortedLocations(now),
		}));
}

function addLocation(locations: Map<string, HolderLocation>, location: Location | undefined, ticks: number): void {
	if (location) {
		const name = locationName(location);
		locations.set(name, {location, ticks: ticks + (locations.get(name)?.ticks ?? 0)});
	}
}

function sortedLocations(locations: ReadonlyMap<string, HolderLocation>): HolderLocation[] {
	return [...locations].sort(([a, {ticks: aTicks}], [b, {ticks: bTicks}]) => byNumber(bTicks, aTicks) || byText(a, b))
		.map(([, location]) => location);
}

/** Totals shown beside a source line: at it and in what it called. */
export type LineFigures = Weight;

/** Returns package and file, the same for all classes of a source file. */
function fileOf({className, file}: Location): string {
	return `${className.slice(0, className.lastIndexOf('.') + 1)}/${file}`;
}

/** Returns the totals of each line of a location's source file, by line number. */
export function querySourceLines(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	location: Location,
): ReadonlyMap<number, LineFigures> {
	const figures = new Map<number, LineFigures>();
	const byLine: Query = {...query, by: 'line'};
	for (const row of countedLines(snapshot, since, byLine, scopeOf(snapshot, byLine)).rows) {
		if (row.line > 0 && fileOf(row) === fileOf(location)) {
			const before = figures.get(row.line);
			figures.set(row.line, {
				ticks: row.totalTicks + (before?.ticks ?? 0),
				cpuNs: row.totalCpuNs + (before?.cpuNs ?? 0),
			});
		}
	}

	return figures;
}
