import {formatBytes, formatDuration} from '../../../query/columns/format.js';
import type {UiState} from '../state.js';
import type {Step} from '../reduce-menu.js';
import type {Surroundings} from '../surroundings.js';

/**
What walking a heap of small objects takes at most, milliseconds a gigabyte in use: 120 to 300 were measured, 850 with
ZGC (JDK 8, 17 and 25, docs/measurements.md); of large arrays next to nothing.
*/
const msInGigabyte = {usual: 300, zgc: 900};

/** Asks before the JVM is asked, as it costs something. */
export function askForHolders(state: UiState, {holders}: Surroundings): Step {
	if (!holders) {
		return {state: {...state, message: {text: 'only with the attach engine: memory sees who holds locks anyway, a recording has what it has', tone: 'plain'}}};
	}

	const {heapBytes, heapBytesAtMost} = holders;
	// Some collectors count what is in use when they collect, and not before.
	const bytes = heapBytes ?? heapBytesAtMost;
	const size = bytes === undefined ? 'all of its heap' : `${heapBytes === undefined ? 'at most ' : ''}${formatBytes(bytes)} of heap`;
	const upTo = (ms: number) => formatDuration(Math.max(1, (bytes ?? 0) / (2 ** 30) * ms));
	const cost = bytes === undefined ? size : `${size}, up to ${upTo(msInGigabyte.usual)} (ZGC ${upTo(msInGigabyte.zgc)})`;
	return {
		state: {
			...state, message: undefined, layers: [...state.layers, {
				kind: 'input', purpose: 'holders', label: `full dump stops the JVM: it walks ${cost} `, text: '', cursor: 0,
			}],
		},
	};
}
