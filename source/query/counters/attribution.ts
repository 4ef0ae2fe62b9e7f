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

/** Returns a stack's innermost own line; undefined if it has none or counts at that line anyway. */
export function ownLocation(dictionary: Dictionary, node: number, rule: OwnRule): Location | undefined {
	const own = endsOf(dictionary, {...rule, ownFirst: true})![node];
	const countsThere = own === node || own === attributionOf(dictionary, {...rule, ownFirst: false})[node];
	return countsThere ? undefined : locationOfFrame(dictionary, dictionary.nodeFrame[own], 'line');
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

/** Libraries that are own code by the default rule, but whose lines tell less than the line that called them. */
const knownLibraries = new Set([
	'ch.qos',
	'com.fasterxml',
	'com.google',
	'com.mchange',
	'com.mongodb',
	'com.mysql',
	'com.rabbitmq',
	'com.zaxxer',
	'io.grpc',
	'io.lettuce',
	'io.micrometer',
	'io.netty',
	'io.reactivex',
	'io.undertow',
	'io.vertx',
	'net.sf',
	'okhttp3',
	'oracle.jdbc',
	'oracle.net',
	'org.apache',
	'org.eclipse',
	'org.glassfish',
	'org.h2',
	'org.hibernate',
	'org.jboss',
	'org.mariadb',
	'org.postgresql',
	'org.slf4j',
	'org.springframework',
	'reactor.core',
	'redis.clients',
]);

function isOfKnownLibrary(className: string): boolean {
	const parts = className.split('.', 3);
	return parts.length > 1 && (knownLibraries.has(parts[0]) || knownLibraries.has(`${parts[0]}.${parts[1]}`));
}

/** The line of a stack that is most of the program's own, and the library method that it called. */
export type AppLine = {readonly at: Location; readonly via?: Location};

/**
Returns the innermost line of a stack that is own code and, unless `--app` says what that is, of no known library; else
the innermost own line. Undefined for a stack without own code.
*/
export function appLine(dictionary: Dictionary, from: number, rule: Pick<Query, 'app'>): AppLine | undefined {
	const {isOwn} = ownCode(rule.app);
	const {strings, frameClass, frameLine, nodeFrame, nodeParent} = dictionary;
	const classOf = (node: number) => strings[frameClass[nodeFrame[node]]];
	let found: {readonly at: number; readonly called: number} | undefined;
	for (let node = from, called = rootNode; node !== rootNode; called = node, node = nodeParent[node]) {
		if (frameLine[nodeFrame[node]] >= 0 && isOwn(classOf(node))) {
			found ??= {at: node, called};
			if (rule.app !== undefined || !isOfKnownLibrary(classOf(node))) {
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
		const [top = 0] = ranking(wanted, 1).top;
		return top === 0 ? undefined : locations[top];
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
