import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters} from '../../model/snapshot.js';
import type {Location, Query} from '../types/query.js';
import {locationOfFrame} from './location.js';
import {ownCode} from './own-code.js';
import {rankingOf, type CounterBuckets} from './buckets.js';
import type {Scope} from './scope.js';
import {stackIndex} from './stack-index.js';

/** What decides at which frame of its stack a sample counts. */
export type AttributionRule = Pick<Query, 'ownFirst' | 'app' | 'firstLine'>;

/** The same where own code is looked for in any case. */
type OwnRule = Pick<Query, 'app' | 'firstLine'>;

/** The same, and what a row is. */
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

/** Returns a stack's innermost own line; undefined if it has none or counts at that line anyway. */
export function ownLocation(dictionary: Dictionary, node: number, rule: OwnRule): Location | undefined {
	const own = endsOf(dictionary, {...rule, ownFirst: true})![node];
	const countsThere = own === node || own === attributionOf(dictionary, {...rule, ownFirst: false})[node];
	return countsThere ? undefined : locationOfFrame(dictionary, dictionary.nodeFrame[own], 'line');
}

/** Returns a stack's innermost library method, if own code called it; undefined if own code is innermost or absent. */
export function viaLocation(dictionary: Dictionary, node: number, rule: OwnRule): Location | undefined {
	const own = attributionOf(dictionary, {...rule, ownFirst: true})[node];
	const {strings, frameClass, nodeFrame} = dictionary;
	if (node === rootNode || !ownCode(rule.app).isOwn(strings[frameClass[nodeFrame[own]]])) {
		return undefined;
	}

	// The innermost frame that can count or, if that is own code, the innermost frame: a native method.
	const via = [attributionOf(dictionary, {...rule, ownFirst: false})[node], node].find(candidate => candidate !== own);
	return via === undefined ? undefined : locationOfFrame(dictionary, nodeFrame[via], 'method');
}

type RankedCounters = {readonly counters: Counters; readonly buckets: CounterBuckets; readonly scope: Pick<Scope, 'unit' | 'countedMask'>};

/** Returns a function from buckets to the location with most samples. `groupOf`: a node's index in `locations` or 0. */
function topOfBuckets({counters, buckets, scope}: RankedCounters, locations: readonly Location[], groupOf: (node: number) => number): (wanted: readonly number[]) => Location | undefined {
	const ranking = rankingOf(counters, buckets, scope, counter => groupOf(counters.node[counter]), {isByTicks: scope.unit === 'ticks'});
	return wanted => {
		const [top = 0] = ranking(wanted, 1).top;
		return top === 0 ? undefined : locations[top];
	};
}

/** Returns a function from buckets to the library method with most of their samples; undefined if own code has most. */
export function viaOfBuckets(dictionary: Dictionary, ends: Int32Array, ranked: RankedCounters): (wanted: readonly number[]) => Location | undefined {
	const {groupOfFrame, locations} = stackIndex(dictionary).grouping('method');
	const attributed = attributionOf(dictionary, {});
	return topOfBuckets(ranked, locations, node => {
		const own = ends[node];
		// As in `viaLocation`.
		const via = attributed[node] === own ? node : attributed[node];
		return own === node ? 0 : groupOfFrame[dictionary.nodeFrame[via]];
	});
}

/** Returns a function from buckets to the own line that led to most samples; undefined if that is in their group. */
export function ownOfBuckets(dictionary: Dictionary, query: RowRule, ranked: RankedCounters): TopOf {
	const index = stackIndex(dictionary);
	const own = attributionOf(dictionary, {...query, ownFirst: true});
	const attributed = attributionOf(dictionary, {...query, ownFirst: false});
	const {groupOfFrame: rowOfFrame} = index.grouping(query.by);
	const {groupOfFrame: lineOfFrame, locations} = index.grouping('line');
	const {nodeFrame} = dictionary;
	return topOfBuckets(ranked, locations, node => {
		const ownFrame = nodeFrame[own[node]];
		return rowOfFrame[ownFrame] === rowOfFrame[nodeFrame[attributed[node]]] ? 0 : lineOfFrame[ownFrame];
	});
}
