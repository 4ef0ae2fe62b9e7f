import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters} from '../../model/snapshot.js';
import type {Location, Query} from '../types/query.js';
import {locationOfFrame} from './location.js';
import {ownCode} from './own-code.js';
import {rankingOf, type CounterBuckets} from './buckets.js';
import type {Scope} from './scope.js';
import {stackIndex} from './stack-index.js';

/** By node: the node of the frame that a sample with this stack counts for in a query. */
export function attributionOf(dictionary: Dictionary, {ownFirst, app}: Pick<Query, 'ownFirst' | 'app'>): Int32Array {
	const index = stackIndex(dictionary);
	return ownFirst ? index.ownAttributed(ownCode(app)) : index.attributed;
}

/** By node: the node where its stack ends with own code first; undefined: every stack is whole. */
export function endsOf(dictionary: Dictionary, {ownFirst, app}: Pick<Query, 'ownFirst' | 'app'>): Int32Array | undefined {
	return ownFirst ? stackIndex(dictionary).ownEnds(ownCode(app)) : undefined;
}

/** The program's own line by which a stack came to where it counts; undefined where that is the same, or none is own. */
export function ownLocation(dictionary: Dictionary, node: number, rule: Pick<Query, 'app'>): Location | undefined {
	const end = endsOf(dictionary, {...rule, ownFirst: true})![node];
	return end === node || end === stackIndex(dictionary).attributed[node] ? undefined : locationOfFrame(dictionary, dictionary.nodeFrame[end], 'line');
}

/** The method beyond the program's own code that a stack ends in; undefined where it ends in its own. */
export function viaLocation(dictionary: Dictionary, node: number, rule: Pick<Query, 'app'>): Location | undefined {
	const own = attributionOf(dictionary, {...rule, ownFirst: true})[node];
	const {strings, frameClass, nodeFrame} = dictionary;
	if (node === rootNode || !ownCode(rule.app).isOwn(strings[frameClass[nodeFrame[own]]])) {
		return undefined;
	}

	// A native method has no line, and is named where nothing beyond the own line has one.
	const via = [stackIndex(dictionary).attributed[node], node].find(candidate => candidate !== own);
	return via === undefined ? undefined : locationOfFrame(dictionary, nodeFrame[via], 'method');
}

/** What counters are ranked by: all of them, those of each bucket, and what of them counts. */
type Ranked = {readonly counters: Counters; readonly buckets: CounterBuckets; readonly scope: Pick<Scope, 'unit' | 'countedMask'>};

/** By buckets: the location in which most of their samples are, of the groups that `memberOf` has by node; 0 counts as none. */
function mostOfBuckets({counters, buckets, scope}: Ranked, locations: readonly Location[], memberOf: (node: number) => number): (wanted: readonly number[]) => Location | undefined {
	const ranking = rankingOf(counters, buckets, scope, counter => memberOf(counters.node[counter]), {isByTicks: scope.unit === 'ticks'});
	return wanted => {
		const [top = 0] = ranking(wanted, 1).top;
		return top === 0 ? undefined : locations[top];
	};
}

/** By buckets of stacks that end at `ends`, the program's own code: the method that most of them called; undefined for none. */
export function viaOfBuckets(dictionary: Dictionary, ends: Int32Array, ranked: Ranked): (wanted: readonly number[]) => Location | undefined {
	const index = stackIndex(dictionary);
	const {groupOfFrame, locations} = index.grouping('method');
	// A native method has no line, and is named where nothing else was called.
	return mostOfBuckets(ranked, locations, node => ends[node] === node ? 0 : groupOfFrame[dictionary.nodeFrame[index.attributed[node] === ends[node] ? node : index.attributed[node]]]);
}

/** By buckets of a grouping: the program's own line by which most samples came; undefined where that is of the same group. */
export function ownOfBuckets(dictionary: Dictionary, query: Pick<Query, 'by' | 'app'>, ranked: Ranked): (wanted: readonly number[]) => Location | undefined {
	const index = stackIndex(dictionary);
	const own = index.ownAttributed(ownCode(query.app));
	const rows = index.grouping(query.by);
	const {groupOfFrame, locations} = index.grouping('line');
	const {nodeFrame} = dictionary;
	return mostOfBuckets(ranked, locations, node => rows.groupOfFrame[nodeFrame[own[node]]] === rows.groupOfFrame[nodeFrame[index.attributed[node]]] ? 0 : groupOfFrame[nodeFrame[own[node]]]);
}
