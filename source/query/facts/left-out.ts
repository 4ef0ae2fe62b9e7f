import {rootNode} from '../../model/frame.js';
import type {Dictionary, Facts} from '../../model/snapshot.js';
import type {Place} from '../types.js';
import {FactBuckets, FactRanking} from './fact-ranking.js';
import type {Scope} from './scope.js';
import {stackIndex} from './stack-index.js';

/** Which facts are meant: where their stacks are taken to end (`endsOf`), and the bucket of each, of so many. */
type EndedFacts = {readonly facts: Facts; readonly ends: Int32Array; readonly bucketOfFact: Int32Array; readonly buckets: number};

/**
By bucket: the method of others' code that most samples stood in of those whose stacks were cut off at the program's
own; undefined where most stood in its own. Found when the first is asked for.
*/
export function viaOfBuckets(dictionary: Dictionary, {facts, ends, bucketOfFact, buckets}: EndedFacts, {unit, countedMask}: Pick<Scope, 'unit' | 'countedMask'>): (bucket: number) => Place | undefined {
	let ranking: FactRanking | undefined;
	const index = stackIndex(dictionary);
	const {groupOfFrame, places} = index.grouping('method');
	const make = () => {
		const methodOfFact = new Int32Array(facts.count);
		for (let fact = 0; fact < facts.count; fact++) {
			const node = facts.node[fact];
			const counted = index.attributed[node];
			// A native method has no line, and is named where nothing else was called.
			const via = counted === ends[node] ? node : counted;
			methodOfFact[fact] = node === rootNode || via === ends[node] ? 0 : groupOfFrame[dictionary.nodeFrame[via]];
		}

		const weighed = unit === 'ticks' ? {...facts, cpuNs: new Float64Array(facts.count)} : facts;
		return new FactRanking(weighed, new FactBuckets(bucketOfFact, buckets), methodOfFact, places.length, countedMask);
	};

	return bucket => {
		ranking ??= make();
		const [top = 0] = ranking.of(bucket, 1).top;
		return top === 0 ? undefined : places[top];
	};
}
