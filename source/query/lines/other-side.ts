import type {Counters, Snapshot} from '../../model/snapshot.js';
import {attributionOf} from '../counters/attribution.js';
import {CounterRanking, type CounterBuckets} from '../counters/buckets.js';
import {ownCode} from '../counters/own-code.js';
import type {Scope} from '../counters/scope.js';
import {stackIndex} from '../counters/stack-index.js';
import type {Location, Query} from '../types/rows.js';

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
