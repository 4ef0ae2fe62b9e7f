import {globMatcher} from '../../model/glob.js';
import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {locationName} from '../counters/location.js';
import {stackIndex, type Grouping} from '../counters/stack-index.js';
import {Paths, type PathOfNode} from '../tree/paths.js';
import type {GroupBy, Location} from '../types/rows.js';

/** The stacks that have a method on them, seen from its outermost call: what is below that, and what is above. */
type FocusedStacks = {
	/** The methods looked for that were seen. */
	readonly methods: readonly Location[];
	/** By node: the node of the outermost call of such a method on that stack; 0 where there is none. */
	readonly callOf: Int32Array;
	/** The paths from there inwards. With rows by method or class the call itself is path 0. */
	readonly inwards: PathOfNode;
	/** Numbers for paths from its callers outwards. */
	readonly outwards: Paths;
	/** Before the keys of rows: the same for the same question in a session. */
	readonly keyPrefix: string;
};

/** What is kept of a question, so that rows keep their keys. */
type Asked = {readonly number: number; readonly inwards: Paths; readonly outwards: Paths; readonly answers: boolean[]};

/** Questions kept of a session: a person goes to and fro between some methods. */
const maxAsked = 8;

/** By the strings of a session, see `stackIndex`; the one asked last is the last. */
const sessions = new WeakMap<readonly string[], Map<string, Asked>>();
let askedSoFar = 0;

/**
The stacks with a method that `pattern` asks for: its whole name (`com.acme.Dao.find`), a part of the name, or a glob.
A whole name means that method alone.
*/
export function focusedStacks(dictionary: Dictionary, pattern: string, by: GroupBy): FocusedStacks {
	const index = stackIndex(dictionary);
	const methods = index.grouping('method');
	const asked = askedOf(dictionary, `${by} ${pattern}`);
	const isWanted = wantedMethods(methods, pattern, asked.answers);
	const {nodeCount, nodeParent, nodeFrame} = dictionary;
	const {groupOfFrame} = index.grouping(by);
	const callOf = new Int32Array(nodeCount);
	const pathOf = new Int32Array(nodeCount);
	const seen = new Set<number>();
	// Callers have smaller ids than their callees.
	for (let node = rootNode + 1; node < nodeCount; node++) {
		const parent = nodeParent[node];
		const frame = nodeFrame[node];
		if (callOf[parent] !== 0) {
			callOf[node] = callOf[parent];
			pathOf[node] = asked.inwards.numberOf(pathOf[parent], groupOfFrame[frame]);
		} else if (isWanted[methods.groupOfFrame[frame]]) {
			callOf[node] = node;
			pathOf[node] = by === 'line' ? asked.inwards.numberOf(0, groupOfFrame[frame]) : 0;
			seen.add(methods.groupOfFrame[frame]);
		}
	}

	return {
		methods: Array.from(seen, group => methods.locations[group]), callOf, inwards: {paths: asked.inwards, pathOf}, outwards: asked.outwards, keyPrefix: `f${asked.number}`,
	};
}

function askedOf({strings}: Dictionary, question: string): Asked {
	const session = sessions.get(strings) ?? new Map<string, Asked>();
	sessions.set(strings, session);
	const asked = session.get(question) ?? {
		number: askedSoFar++, inwards: new Paths(), outwards: new Paths(), answers: [],
	};
	session.delete(question);
	session.set(question, asked);
	if (session.size > maxAsked) {
		session.delete(session.keys().next().value!);
	}

	return asked;
}

/** By the group of a method. `answers` has what was asked before: names are looked at once. */
function wantedMethods({locations, groupOfKey}: Grouping, pattern: string, answers: boolean[]): readonly boolean[] {
	const exact = groupOfKey.get(pattern);
	if (exact !== undefined) {
		return locations.map((_, group) => group === exact);
	}

	const matches = globMatcher(pattern);
	while (answers.length < locations.length) {
		answers.push(answers.length > 0 && matches(locationName(locations[answers.length])));
	}

	return answers;
}
