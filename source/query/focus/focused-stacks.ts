import {globMatcher} from '../../model/glob.js';
import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {locationName} from '../counters/location.js';
import {stackIndex, type Grouping} from '../counters/stack-index.js';
import type {Location} from '../types/rows.js';

/** The methods looked for that were seen, and by node the outermost call of one on that stack; 0 where there is none. */
type FocusedStacks = {readonly methods: readonly Location[]; readonly callOf: Int32Array};

/**
The stacks with a method that `pattern` asks for: its whole name (`com.acme.Dao.find`), a part of the name, or a glob.
A whole name means that method alone.
*/
export function focusedStacks(dictionary: Dictionary, pattern: string): FocusedStacks {
	const methods = stackIndex(dictionary).grouping('method');
	const isWanted = wantedMethods(methods, pattern);
	const {nodeCount, nodeParent, nodeFrame} = dictionary;
	const callOf = new Int32Array(nodeCount);
	const seen = new Set<number>();
	// Callers have smaller ids than their callees.
	for (let node = rootNode + 1; node < nodeCount; node++) {
		const method = methods.groupOfFrame[nodeFrame[node]];
		callOf[node] = callOf[nodeParent[node]];
		if (callOf[node] === 0 && isWanted[method]) {
			callOf[node] = node;
			seen.add(method);
		}
	}

	return {methods: Array.from(seen, method => methods.locations[method]), callOf};
}

/** By the group of a method. */
function wantedMethods({locations, groupOfKey}: Grouping, pattern: string): readonly boolean[] {
	const exact = groupOfKey.get(pattern);
	const matches = globMatcher(pattern);
	return locations.map((location, group) => exact === undefined ? group > 0 && matches(locationName(location)) : group === exact);
}
