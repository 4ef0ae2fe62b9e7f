import {rootNode} from '../../model/frame.js';
import type {Dictionary, Counters, Snapshot} from '../../model/snapshot.js';
import type {Location, Query} from '../types/rows.js';
import {locationOfFrame} from './location.js';
import {ownCode} from './own-code.js';
import {CounterBuckets, CounterRanking} from './buckets.js';
import type {Scope} from './scope.js';
import {stackIndex} from './stack-index.js';

/** By node: the node of the frame that a sample with this stack counts for in a query. */
export function attributionOf(dictionary: Dictionary, {ownFirst, app}: Pick<Query, 'ownFirst' | 'app'>): Int32Array {
	const index = stackIndex(dictionary);
	return ownFirst ? index.ownAttributed(ownCode(app)) : index.attributed;
}

/**
By node: the node that a stack is taken to end at where all of it is shown. With own code first what the program's own
code called is left out; undefined: every stack as it is.
*/
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

/** Which counters are meant: where their stacks end (`endsOf`), the bucket of each, and the number of buckets. */
type EndedCounters = {readonly counters: Counters; readonly ends: Int32Array; readonly bucketOfCounter: Int32Array; readonly buckets: number};

/**
By buckets: the method of others' code that most samples stood in of those whose stacks were cut off at the program's
own; undefined where most stood in its own. Found when the first is asked for.
*/
export function viaOfBuckets(dictionary: Dictionary, {counters, ends, bucketOfCounter, buckets}: EndedCounters, {unit, countedMask}: Pick<Scope, 'unit' | 'countedMask'>): (buckets: readonly number[]) => Location | undefined {
	let ranking: CounterRanking | undefined;
	const index = stackIndex(dictionary);
	const {groupOfFrame, locations} = index.grouping('method');
	const make = () => {
		const methodOfCounter = new Int32Array(counters.count);
		for (let counter = 0; counter < counters.count; counter++) {
			const node = counters.node[counter];
			const counted = index.attributed[node];
			// A native method has no line, and is named where nothing else was called.
			const via = counted === ends[node] ? node : counted;
			methodOfCounter[counter] = node === rootNode || via === ends[node] ? 0 : groupOfFrame[dictionary.nodeFrame[via]];
		}

		const weighed = unit === 'ticks' ? {...counters, cpuNs: new Float64Array(counters.count)} : counters;
		return new CounterRanking(weighed, new CounterBuckets(bucketOfCounter, buckets), methodOfCounter, locations.length, countedMask);
	};

	return wanted => {
		ranking ??= make();
		const [top = 0] = ranking.of(wanted, 1).top;
		return top === 0 ? undefined : locations[top];
	};
}

/**
Where the samples of a row count by the other rule: with own code first the methods that they stand in, else the
program's own lines. Only the counters of rows that are asked for are looked at.
*/
export class OtherSide {
	/** Whether the rows are of own code, and the other side is what that called. */
	readonly isOwnFirst: boolean;
	readonly #make: () => (group: number) => Location | undefined;
	#locationOf: ((group: number) => Location | undefined) | undefined;

	constructor({dictionary}: Snapshot, counters: Counters, scope: Scope, query: Query, buckets: CounterBuckets) {
		this.isOwnFirst = query.ownFirst === true;
		this.#make = () => {
			const {ownFirst, by} = query;
			const index = stackIndex(dictionary);
			const attributed = attributionOf(dictionary, {...query, ownFirst: !ownFirst});
			const {nodeFrame} = dictionary;
			const rows = index.grouping(by);
			const {groupOfFrame, locations} = index.grouping(ownFirst ? 'method' : 'line');
			const memberOfCounter = new Int32Array(counters.count);
			// What stands in the row's own place has no other side.
			const memberOf = (node: number, group: number): number => {
				const frame = nodeFrame[attributed[node]];
				if (rows.groupOfFrame[frame] !== group) {
					return groupOfFrame[frame];
				}

				// The program's own line may have called a native method, which has none.
				const end = nodeFrame[node];
				return ownFirst && rows.groupOfFrame[end] !== group ? groupOfFrame[end] : 0;
			};

			// By what shares are of.
			const weighed = scope.unit === 'ticks' ? {...counters, cpuNs: new Float64Array(counters.count)} : counters;
			const ranking = new CounterRanking(weighed, buckets, memberOfCounter, locations.length, scope.countedMask);
			const {isOwn} = ownCode(query.app);
			return group => {
				// Where a stack has no own code, nothing of it was called by any.
				if (ownFirst && !isOwn(rows.locations[group].className)) {
					return undefined;
				}

				for (const counter of buckets.countersOf(group)) {
					memberOfCounter[counter] = memberOf(counters.node[counter], group);
				}

				const [top = 0] = ranking.of([group], 1).top;
				return top === 0 ? undefined : locations[top];
			};
		};
	}

	/** Where most of a row's samples count; undefined where that is the row itself. */
	of(group: number): Location | undefined {
		this.#locationOf ??= this.#make();
		return this.#locationOf(group);
	}
}
