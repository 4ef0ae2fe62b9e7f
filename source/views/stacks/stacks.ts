import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import {printable, safe, type Printable} from '../../util/printable.js';
import type {Snapshot, Dictionary} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {sortRows} from '../../query/columns/sort.js';
import {endsOf, viaOfBuckets, ownLocation} from '../../query/counters/attribution.js';
import {BucketSums, rankingOf, sumsByNode, CountedRow, type CountedFigures} from '../../query/counters/buckets.js';
import {membersOf} from '../../query/counters/thread-table.js';
import {measuredInWindow} from '../../query/counters/allocated.js';
import {scopeOf} from '../../query/counters/scope.js';
import {percentIn, sampledMs, threadsInStep} from '../../query/counters/share.js';
import {StackFilter} from '../../query/counters/stack-filter.js';
import {stackIndex, framesOf, type Grouping} from '../../query/counters/stack-index.js';
import {figureReader, type FilterFields} from '../../query/filter/filter.js';
import {isOfEvents, type Query, type Location, type Unit} from '../../query/types/query.js';
import {cellWidth} from '../../util/cell-width.js';
import {
	figureColumn,
	locationNameOrEmpty,
	ownCodeColumn,
	shareColumn,
	shareHeadings,
	statesColumn,
	textColumn,
	topThreadsColumn,
	type Column,
} from '../../query/columns/column.js';
import {amountColumn, notOfEvents} from '../../query/columns/event-columns.js';
import {formats} from '../../query/columns/format.js';
import {nameWith, shortName, viaText} from '../../query/columns/names.js';
import type {ViewResult} from '../common/view.js';
import {nativeCodeLine, nativeLine, rootNode} from '../../model/frame.js';
import {TupleIndex} from '../../util/tuple-index.js';
import {locationName} from '../../query/counters/location.js';
import {mostOf} from '../../util/sum.js';

type CountedStacks = CountedFigures & {
	readonly stacks: StackNumbers;
	readonly ends: Int32Array | undefined;
	readonly app: Query['app'];
};

/** A row of the Stacks view: identical stacks. Its location is the innermost frame (of own code, if `ownFirst`). */
export class StackHistogramRow extends CountedRow<CountedStacks> {
	readonly key: string;
	#fingerprint: Printable | undefined;

	constructor(bucket: number, counted: CountedStacks) {
		super(bucket, counted);
		this.key = String(this.node);
	}

	get node(): number {
		return this.counted.stacks.firstNode[this.bucket];
	}

	/** The frames compared, innermost first. */
	get frames(): readonly Location[] {
		const {dictionary, depth} = this.counted.stacks;
		return framesOf(dictionary, this.node, depth);
	}

	/** All frames; with own code first, those of the whole stack that most samples had. */
	get fullStack(): readonly Location[] {
		const {stacks: {dictionary}, ends, sums: {buckets, counters: {node, ticks}}} = this.counted;
		const ticksOfNode = new Map<number, number>();
		for (const counter of ends ? buckets.countersOf(this.bucket) : []) {
			ticksOfNode.set(node[counter], ticks[counter] + (ticksOfNode.get(node[counter]) ?? 0));
		}

		return framesOf(dictionary, mostOf(ticksOfNode)?.[0] ?? this.node);
	}

	/** Without own code first: the innermost line of own code on the stack, if that is not its top. */
	get own(): Location | undefined {
		const {stacks: {dictionary}, ends, app} = this.counted;
		return ends ? undefined : ownLocation(dictionary, this.node, {app});
	}

	get fingerprint(): Printable {
		this.#fingerprint ??= fingerprintOf(this.frames);
		return this.#fingerprint;
	}

	protected override get location(): Location {
		const {dictionary, grouping: {locations, groupOfFrame}} = this.counted.stacks;
		return locations[groupOfFrame[dictionary.nodeFrame[this.node]]];
	}

	/** Whether the row counts the stack of a node. */
	isOf(node: number): boolean {
		const {stacks, ends} = this.counted;
		return node !== rootNode && stacks.numberOf(ends ? ends[node] : node) === this.bucket;
	}
}

/** Loaded with the first fingerprint, as it would delay the first frame of the screen. */
let library: typeof crypto | undefined;

/** Returns a frame as java.lang.StackTraceElement prints it; native code as library and function. */
export function frameText({className, method, file, line}: Location): Printable {
	if (line === nativeCodeLine) {
		return locationName({className, method, file, line});
	}

	const source = line === nativeLine
		? safe`Native Method`
		: (line >= 0 ? safe`${file || 'Unknown Source'}:${line}` : file || safe`Unknown Source`);
	return safe`${className}.${method}(${source})`;
}

/** Returns a stack as text, the innermost frame first: a line for each, after a tab. */
export function stackLines(frames: readonly Location[]): string {
	return frames.map(frame => `\t${frameText(frame)}\n`).join('');
}

/** Returns the MD5 of a stack's lines, as the votes format prints it: the same in every session. */
function fingerprintOf(frames: readonly Location[]): Printable {
	library ??= createRequire(import.meta.url)('node:crypto') as typeof crypto;
	return printable(library.createHash('md5').update(stackLines(frames)).digest('hex'));
}

/** Numbers stacks from 1 on; stacks with the same first `depth` locations share one. The empty stack is 0. */
class StackNumbers {
	/** By number: the node of the first stack that has it. */
	readonly firstNode: number[] = [rootNode];
	readonly #numberOfNode: Int32Array;
	/** Interns paths of locations from the top of a stack: a shorter path, and the location after it. */
	readonly #paths = new TupleIndex(2);
	readonly #numberOfPath = new Map<number, number>();

	constructor(
		readonly dictionary: Dictionary,
		readonly grouping: Pick<Grouping, 'groupOfFrame' | 'locations'>,
		readonly depth: number,
	) {
		this.#numberOfNode = new Int32Array(dictionary.nodeCount);
	}

	numberOf(node: number): number {
		if (node !== rootNode && this.#numberOfNode[node] === 0) {
			this.#numberOfNode[node] = this.#find(node);
		}

		return this.#numberOfNode[node];
	}

	#find(node: number): number {
		// With all frames compared, no two nodes are the same stack.
		const path = Number.isFinite(this.depth) ? this.#pathOf(node) : undefined;
		const number = (path === undefined ? undefined : this.#numberOfPath.get(path)) ?? this.firstNode.push(node) - 1;
		if (path !== undefined) {
			this.#numberOfPath.set(path, number);
		}

		return number;
	}

	#pathOf(top: number): number {
		const {nodeParent, nodeFrame} = this.dictionary;
		let path = -1;
		let node = top;
		for (let remaining = this.depth; node !== rootNode && remaining > 0; remaining--) {
			this.#paths.key[0] = path;
			this.#paths.key[1] = this.grouping.groupOfFrame[nodeFrame[node]];
			path = this.#paths.intern();
			node = nodeParent[node];
		}

		return path;
	}
}

export const stackColumns: ReadonlyArray<Column<StackHistogramRow>> = [
	shareColumn('share', row => row.selfPercent, row => row.selfCpuNs, {
		heading: 'CPU%',
		measureHeadings: shareHeadings,
		title: 'share',
		width: 6,
		fromColumns: 0,
		isHot: true,
		isUncertain: row => row.selfPercent <= row.errorPercent,
		sortKeys: ['self', 'total'],
		thenBy: [row => row.selfTicks],
		description:
			'CPU time of samples that had exactly this stack, 100 is one core (or their share of CPU time, ticks or events)',
	}),
	figureColumn('ticks', row => row.selfTicks, formats.count, {
		heading: 'TICKS',
		title: 'ticks',
		width: 6,
		fromColumns: 50,
		...notOfEvents,
		thenBy: [row => row.selfCpuNs],
		description: 'samples of threads with this stack, in the counted states',
	}),
	figureColumn('threads', row => row.threadCount, formats.count, {
		heading: 'THR', title: 'threads', width: 3, fromColumns: 64,
		description: 'threads that were seen with this stack',
	}),
	statesColumn('states', {
		...notOfEvents,
		title: 'blocked ticks', fromColumns: 0, sortBy: [row => row.states[stateCode.BLOCKED]],
		description: 'states of the threads, in proportion; sorts by blocked ticks',
	}),
	amountColumn(row => row.selfCpuNs, {
		fromColumns: 110,
		description: 'CPU time with this stack, milliseconds (BYTES, EXC: what its events count for)',
	}),
	textColumn('fingerprint', row => row.fingerprint, {
		heading: 'MD5',
		title: 'fingerprint',
		width: 8,
		fromColumns: 110,
		description:
			'first digits of the stack\'s fingerprint, the MD5 of its frames as printed: the same in every session',
		value: row => row.fingerprint.slice(0, 8),
		role: () => 'dim',
	}),
	textColumn('stack', row => locationNameOrEmpty(row), {
		heading: 'STACK', title: 'top frames', width: 0, fromColumns: 0, sortKeys: ['name'],
		description: 'the innermost frames, each called by the next; Enter shows all of them',
		value: (row, {room, fullNames}) => topFrames(row, room, fullNames),
	}),
	topThreadsColumn(24, 'with this stack'),
	ownCodeColumn({
		width: 28,
		fromColumns: 200,
		description: 'the first line of the program\'s own code on the stack, where that is not the top',
	}),
];

const between = ' < ';

/** Returns as many frames as fit, callers without their packages. */
function topFrames({frames, via}: StackHistogramRow, room: number, fullNames: boolean): Printable {
	let text = safe``;
	for (const [index, frame] of frames.entries()) {
		const cells = Math.max(1, room - cellWidth(text) - (index === 0 ? 0 : between.length));
		const withoutPackage = {...frame, className: frame.className.slice(frame.className.lastIndexOf('.') + 1)};
		const name = index === 0
			? nameWith(frame, via ? [viaText(via)] : [], cells, fullNames)
			: shortName(withoutPackage, cells, true);
		if (index > 0 && name.startsWith('…')) {
			break;
		}

		text = index === 0 ? name : safe`${text}${between}${name}`;
	}

	return text;
}

declare module '../../query/types/query.js' {
	interface Query {
		/** Number of innermost frames of each stack that are compared; by default all. */
		readonly depth?: number;
	}
}

/** Returns identical stacks, counted: stacks with the same first `query.depth` frames are one row. */
export function queryStackHistogram(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
): ViewResult<StackHistogramRow> {
	const {dictionary} = snapshot;
	const depth = query.depth ?? Infinity;
	const scope = scopeOf(snapshot, query);
	const counters = measuredInWindow(snapshot, since, scope);
	const lines = stackIndex(dictionary).grouping('line');
	const stacks = new StackNumbers(dictionary, lines, depth);
	const ends = endsOf(dictionary, query);
	const stackOfNode = new Int32Array(dictionary.nodeCount);
	for (let counter = 0; counter < counters.count; counter++) {
		const node = counters.node[counter];
		stackOfNode[node] = stacks.numberOf(ends ? ends[node] : node);
	}

	const sums = new BucketSums(
		counters,
		sumsByNode(counters, dictionary.nodeCount, scope),
		stackOfNode,
		stacks.firstNode.length,
		scope,
	);
	const {buckets} = sums;
	const {threads} = snapshot;
	const overMs = sampledMs(snapshot, since);
	const counted: CountedStacks = {
		stacks,
		sums,
		ends,
		threads,
		overMs,
		unit: scope.unit,
		threadsInStep: threadsInStep(snapshot, since),
		app: query.app,
		threadRanking: rankingOf(counters, buckets, scope, counter => counters.thread[counter], {
			sizeOf: thread => membersOf(threads, thread),
		}),
		viaOf: ends && viaOfBuckets(dictionary, ends, {counters, buckets, scope, app: query.app}),
	};
	const isCpuCounted = isOfEvents(scope.unit) || (scope.countedMask & (1 << stateCode.RUNNABLE)) !== 0;
	const rows: StackHistogramRow[] = [];
	for (let stack = 1; stack < stacks.firstNode.length; stack++) {
		if (sums.selfTicks[stack] > 0 || (isCpuCounted && sums.selfCpuNs[stack] > 0)) {
			rows.push(new StackHistogramRow(stack, counted));
		}
	}

	const filter = new StackFilter(scope.filter, dictionary, lines);
	const fields = filterFields(scope.unit, overMs);
	const foundBeyondEnds = ends && !filter.isEmpty ? termsBeyondEnds(sums, filter, ends) : undefined;
	const matching = filter.isEmpty
		? rows
		: rows.filter(row => filter.passes(row.node, depth, figureReader(fields, row), foundBeyondEnds?.[row.bucket]));
	return {rows: sortRows(matching, stackColumns, query.sort), allRows: rows.length};
}

/** Returns the fields of rows for filters, percentages in the unit. */
function filterFields(unit: Unit, overMs: number): Omit<FilterFields<StackHistogramRow>, 'text'> {
	return {
		percent: row => percentIn(unit, {percent: row.selfPercent, cpuNs: row.selfCpuNs}, overMs),
		cpuMs: row => isOfEvents(unit) ? 0 : row.selfCpuNs / 1e6,
		ticks: row => row.selfTicks,
		threads: row => row.threadCount,
		blocked: row => row.states[stateCode.BLOCKED] > 0 ? row.threadCount : 0,
	};
}

/** Returns, by stack number, the filter's terms, a bit each, that match frames omitted as callees of own code. */
function termsBeyondEnds(
	{selfTicks, counters, bucketOfNode}: BucketSums,
	filter: StackFilter,
	ends: Int32Array,
): Int32Array {
	const found = new Int32Array(selfTicks.length);
	for (const node of counters.node.subarray(0, counters.count)) {
		found[bucketOfNode[node]] |= filter.foundBetween(node, ends[node]);
	}

	return found;
}
