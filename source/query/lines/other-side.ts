import type {Facts, Snapshot} from '../../model/snapshot.js';
import {attributionOf} from '../facts/attribution.js';
import {FactRanking, type FactBuckets} from '../facts/fact-ranking.js';
import {ownCode} from '../facts/own-code.js';
import type {Scope} from '../facts/scope.js';
import {stackIndex} from '../facts/stack-index.js';
import type {Place, Query} from '../types.js';

/**
Where the samples of a row count by the other rule: with own code first the methods that they stand in, else the
program's own lines. Only the facts of rows that are asked for are looked at.
*/
export class OtherSide {
	/** Whether the rows are of own code, and the other side is what that called. */
	readonly isOwnFirst: boolean;
	readonly #make: () => (group: number) => Place | undefined;
	#placeOf: ((group: number) => Place | undefined) | undefined;

	constructor({dictionary}: Snapshot, facts: Facts, scope: Scope, query: Query, buckets: FactBuckets) {
		this.isOwnFirst = query.ownFirst === true;
		this.#make = () => {
			const {ownFirst, by} = query;
			const index = stackIndex(dictionary);
			const attributed = attributionOf(dictionary, {...query, ownFirst: !ownFirst});
			const {nodeFrame} = dictionary;
			const rows = index.grouping(by);
			const {groupOfFrame, places} = index.grouping(ownFirst ? 'method' : 'line');
			const memberOfFact = new Int32Array(facts.count);
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
			const weighed = scope.unit === 'ticks' ? {...facts, cpuNs: new Float64Array(facts.count)} : facts;
			const ranking = new FactRanking(weighed, buckets, memberOfFact, places.length, scope.countedMask);
			const {isOwn} = ownCode(query.app);
			return group => {
				// Where a stack has no own code, nothing of it was called by any.
				if (ownFirst && !isOwn(rows.places[group].className)) {
					return undefined;
				}

				for (const fact of buckets.factsOf(group)) {
					memberOfFact[fact] = memberOf(facts.node[fact], group);
				}

				const [top = 0] = ranking.of(group, 1).top;
				return top === 0 ? undefined : places[top];
			};
		};
	}

	/** Where most of a row's samples count; undefined where that is the row itself. */
	of(group: number): Place | undefined {
		this.#placeOf ??= this.#make();
		return this.#placeOf(group);
	}
}
