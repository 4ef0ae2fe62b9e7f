import {rootNode} from '../../model/frame.js';
import {sumOf} from '../../util/sum.js';
import type {Dictionary, Counters} from '../../model/snapshot.js';
import type {Location, Query} from '../types/query.js';
import {locationOfFrame} from './location.js';
import {ownCode, programCode} from './own-code.js';
import {rankingOf, type CounterBuckets} from './buckets.js';
import {allStatesMask, type Scope} from './scope.js';
import {stackIndex} from './stack-index.js';

/** What decides at which frame of its stack a sample counts. */
export type AttributionRule = Pick<Query, 'ownFirst' | 'app' | 'firstLine'>;

/** The part of a rule that tells own code, whether or not samples count there. */
type OwnRule = Pick<Query, 'app' | 'firstLine'>;

/** An `OwnRule`, and whether a row is a line, a method or a class. */
type RowRule = OwnRule & Pick<Query, 'by'>;

/** Returns the location with most samples in some buckets. */
type TopOf = (wanted: readonly number[]) => Location | undefined;

/** Returns, by node, the node of the frame at which samples with this stack count in a query. */
export function attributionOf(dictionary: Dictionary, {ownFirst, app, firstLine}: AttributionRule): Int32Array {
	const attribution = stackIndex(dictionary).attribution(firstLine);
	return ownFirst ? attribution.ownAttributed(ownCode(app)) : attribution.attributed;
}

/** Returns, by node, the node at which own code ends (`ownEnds`), or itself; undefined unless own code is first. */
export function endsOf(dictionary: Dictionary, {ownFirst, app, firstLine}: AttributionRule): Int32Array | undefined {
	return ownFirst ? stackIndex(dictionary).attribution(firstLine).ownEnds(ownCode(app)) : undefined;
}

/**
Returns, by node, the node of the program's line that led to where its samples count (`attributed`): the innermost own
line that is of no known library, else the innermost own line; without own lines, where they count.
*/
function programLines(
	dictionary: Dictionary,
	{app, firstLine}: OwnRule,
	attributed: Int32Array,
): (node: number) => number {
	const attribution = stackIndex(dictionary).attribution(firstLine);
	const [ends, own] = [attribution.ownEnds(programCode(app)), attribution.ownEnds(ownCode(app))];
	return node => {
		const at = attributed[node];
		return ends[at] === at ? own[at] : ends[at];
	};
}

/** Returns the program's line that led to where a stack's samples count; undefined if it is that, or there is none. */
export function ownLocation(dictionary: Dictionary, node: number, rule: OwnRule): Location | undefined {
	const attributed = attributionOf(dictionary, {...rule, ownFirst: false});
	const own = programLines(dictionary, rule, attributed)(node);
	return own === attributed[node] ? undefined : locationOfFrame(dictionary, dictionary.nodeFrame[own], 'line');
}

/** Returns the library method that a stack's own code called; undefined if own code is innermost or absent. */
export function viaLocation(dictionary: Dictionary, node: number, rule: OwnRule): Location | undefined {
	const {nodeParent, nodeFrame} = dictionary;
	const own = endsOf(dictionary, {...rule, ownFirst: true})![node];
	if (own === node) {
		return undefined;
	}

	const isOwn = isOwnNode(dictionary, rule);
	let called = node;
	for (let inner = node; inner !== own; inner = nodeParent[inner]) {
		called = isOwn(inner) ? called : inner;
	}

	return locationOfFrame(dictionary, nodeFrame[called], 'method');
}

/** The line of a stack that is most of the program's own, and the library method that it called. */
export type AppLine = {readonly at: Location; readonly via?: Location};

/**
Returns the innermost line of a stack that is own code and, unless `--app` says what that is, of no known library; else
the innermost own line. Undefined for a stack without own code.
*/
export function appLine(dictionary: Dictionary, from: number, rule: Pick<Query, 'app'>): AppLine | undefined {
	const [{isOwn}, program] = [ownCode(rule.app), programCode(rule.app)];
	const {strings, frameClass, frameLine, nodeFrame, nodeParent} = dictionary;
	const classOf = (node: number) => strings[frameClass[nodeFrame[node]]];
	let found: {readonly at: number; readonly called: number} | undefined;
	for (let node = from, called = rootNode; node !== rootNode; called = node, node = nodeParent[node]) {
		if (frameLine[nodeFrame[node]] >= 0 && isOwn(classOf(node))) {
			found ??= {at: node, called};
			if (program.isOwn(classOf(node))) {
				found = {at: node, called};
				break;
			}
		}
	}

	return found && {
		at: locationOfFrame(dictionary, nodeFrame[found.at], 'line'),
		via: found.called === rootNode ? undefined : locationOfFrame(dictionary, nodeFrame[found.called], 'method'),
	};
}

/** Returns a function that tells whether a node's frame is own code. */
function isOwnNode({strings, frameClass, nodeFrame}: Dictionary, rule: Pick<Query, 'app'>): (node: number) => boolean {
	const {isOwn} = ownCode(rule.app);
	return node => isOwn(strings[frameClass[nodeFrame[node]]]);
}

/**
Returns, by node, the outermost library frame that the node's end called (see `endsOf`): what the JVM generates between,
such as lambdas, is passed over. If there is none, the innermost frame; the root for an end itself.
*/
function calledByEnds(dictionary: Dictionary, ends: Int32Array, rule: Pick<Query, 'app'>): Int32Array {
	const {nodeCount, nodeParent} = dictionary;
	const isOwn = isOwnNode(dictionary, rule);
	const called = new Int32Array(nodeCount);
	for (let node = rootNode + 1; node < nodeCount; node++) {
		if (ends[node] === node) {
			continue;
		}

		// Callers have smaller ids. An end may be no caller of its node in a part of a stack (Focus): then it is the
		// node.
		const caller = nodeParent[node];
		const before = ends[node] === caller ? rootNode : called[caller];
		called[node] = before !== rootNode && !isOwn(before) ? before : node;
	}

	return called;
}

type RankedCounters = {
	readonly counters: Counters;
	readonly buckets: CounterBuckets;
	readonly scope: Pick<Scope, 'unit' | 'countedMask'>;
};

/** Returns a function from buckets to the location with most samples. `groupOf`: a node's index in `locations` or 0. */
function topOfBuckets(
	{counters, buckets, scope}: RankedCounters,
	locations: readonly Location[],
	groupOf: (node: number) => number,
): (wanted: readonly number[]) => Location | undefined {
	const ranking = rankingOf(counters, buckets, scope, counter => groupOf(counters.node[counter]), {
		isByTicks: scope.unit === 'ticks',
	});
	return wanted => {
		const [top] = ranking(wanted, 1).top;
		return top === undefined || top.member === 0 ? undefined : locations[top.member];
	};
}

/**
Returns a function from buckets to the library method that own code called for most of their samples; undefined if most
were in own code.
*/
export function viaOfBuckets(
	dictionary: Dictionary,
	ends: Int32Array,
	ranked: RankedCounters & Pick<Query, 'app'>,
): TopOf {
	const called = calledByEnds(dictionary, ends, ranked);
	const {groupOfFrame, locations} = stackIndex(dictionary).grouping('method');
	const viaOf = (node: number) => called[node] === rootNode ? 0 : groupOfFrame[dictionary.nodeFrame[called[node]]];
	return topOfBuckets(ranked, locations, viaOf);
}

/** Returns a function from buckets to the own line that led to most samples; undefined if that is in their group. */
export function ownOfBuckets(dictionary: Dictionary, query: RowRule, ranked: RankedCounters): TopOf {
	const own = attributionOf(dictionary, {...query, ownFirst: true});
	const attributed = attributionOf(dictionary, {...query, ownFirst: false});
	const {lineOf, locations} = linesOutside(dictionary, query.by, attributed, node => own[node]);
	return topOfBuckets(ranked, locations, lineOf);
}

/** The program's line that led to most of a row, and how many other lines of it led to at least a tenth each. */
export type CallingLines = {readonly at: Location; readonly others: number};

/** Part of a row's figure from which another line that led to it is counted. */
const minOtherPart = 0.1;

/**
Returns a function from buckets to the program's lines that led there, by CPU time or, if there is none or ticks count,
by ticks: those of counted states or, if there are none, of all. Undefined if no such line, or the row itself, has most.
*/
export function callingLinesOfBuckets(
	dictionary: Dictionary,
	query: RowRule,
	{counters, buckets, scope}: RankedCounters,
): (wanted: readonly number[]) => CallingLines | undefined {
	const attributed = attributionOf(dictionary, {...query, ownFirst: false});
	const callerOf = programLines(dictionary, query, attributed);
	const {lineOf, locations} = linesOutside(dictionary, query.by, attributed, callerOf);
	const rankingIn = (countedMask: number) =>
		rankingOf(counters, buckets, {countedMask}, counter => lineOf(counters.node[counter]), {
			isByTicks: scope.unit === 'ticks',
		});
	const [counted, ofAllStates] = [rankingIn(scope.countedMask), rankingIn(allStatesMask)];
	return wanted => {
		const {top: ofCounted} = counted(wanted, Infinity);
		const hasFigure = ofCounted.some(({cpuNs, ticks}) => cpuNs > 0 || ticks > 0);
		const lines = hasFigure ? ofCounted : ofAllStates(wanted, Infinity).top;
		if (lines.length === 0 || lines[0].member === 0) {
			return undefined;
		}

		const figure = lines.some(({cpuNs}) => cpuNs > 0) ? 'cpuNs' : 'ticks';
		const least = minOtherPart * sumOf(lines, line => line[figure]);
		const others = lines.slice(1).filter(line => line.member !== 0 && line[figure] > 0 && line[figure] >= least);
		return {at: locations[lines[0].member], others: others.length};
	};
}

/**
Returns, by node, the index of a caller's line (`callerOf`) in `locations`; 0 if it is in the row at which the node's
samples count.
*/
function linesOutside(
	dictionary: Dictionary,
	by: RowRule['by'],
	attributed: Int32Array,
	callerOf: (node: number) => number,
): {readonly lineOf: (node: number) => number; readonly locations: readonly Location[]} {
	const {nodeFrame} = dictionary;
	const index = stackIndex(dictionary);
	const {groupOfFrame: rowOfFrame} = index.grouping(by);
	const {groupOfFrame: lineOfFrame, locations} = index.grouping('line');
	return {
		locations,
		lineOf(node) {
			const frame = nodeFrame[callerOf(node)];
			return rowOfFrame[frame] === rowOfFrame[nodeFrame[attributed[node]]] ? 0 : lineOfFrame[frame];
		},
	};
}
