import {formatBytes, formatDuration} from '../../../query/columns/format.js';
import type {UiState} from '../state.js';
import type {Step} from '../reduce-menu.js';
import type {Surroundings} from '../surroundings.js';

/** What walking a heap of small objects may take, milliseconds a gigabyte: a guess on the high side, not measured. */
const msInGigabyte = 1000;

/** Asks before the JVM is asked, as it costs something. */
export function askForHolders(state: UiState, {holders}: Surroundings): Step {
	if (!holders) {
		return {state: {...state, message: {text: 'only with the attach engine: memory sees who holds locks anyway, a recording has what it has', tone: 'plain'}}};
	}

	const {heapBytes} = holders;
	const cost = heapBytes === undefined ? 'all of its heap' : `${formatBytes(heapBytes)} of heap, ${formatDuration(Math.max(1, heapBytes / (2 ** 30) * msInGigabyte))} or so`;
	return {
		state: {
			...state, message: undefined, layers: [...state.layers, {
				kind: 'input', purpose: 'holders', label: `full dump: the JVM stands still and walks ${cost} `, text: '', cursor: 0,
			}],
		},
	};
}
