import {formatBytes, formatDuration} from '../../query/columns/format.js';
import {nameOf} from '../../views/traces/methods.js';
import type {ScreenContext} from './screen-context.js';
import {
	inputLayer, say, withEffect, withLayer, type InputLayer, type UiState,
} from './state.js';
import {locationAt} from './rows.js';

/** Prompts for the methods to trace; the row's method is filled in, if any. */
export function promptForPattern(state: UiState, screen: ScreenContext): UiState {
	const location = locationAt(state, screen);
	const text = location && location.className !== '' ? nameOf({className: location.className, method: location.method === '' ? '*' : location.method}) : '';
	return withLayer({...state, message: undefined}, {...inputLayer('trace', 'trace: ', text), about: screen.traceNote});
}

/** Asks whether to trace the methods found; the question waits below an input line or menu that is open. */
export function confirmTrace(state: UiState, {question, about}: {readonly question: string; readonly about: string}): UiState {
	const confirmation: InputLayer = {...inputLayer('confirm-trace', question), about};
	const at = state.layers.findLastIndex(({kind}) => kind !== 'input' && kind !== 'menu') + 1;
	return {...state, message: undefined, layers: [...state.layers.slice(0, at), confirmation, ...state.layers.slice(at)]};
}

/** Traces after the answer y or yes; as in a shell, anything else is no. */
export function answerConfirmation(below: UiState, answer: string): UiState {
	return /^\s*y(?:es)?\s*$/i.test(answer)
		? withEffect(say(below, 'starting to trace...'), {type: 'trace'})
		: withEffect(say(below, 'nothing more is traced'), {type: 'forget-methods'});
}

/** Maximum time of a heap walk, milliseconds per GiB in use. */
const maxHeapWalkMsPerGiB = {default: 300, zgc: 900};

/** Prompts before a full dump, as it stops the JVM; says for how long. */
export function promptForHolders(state: UiState, {holders}: ScreenContext): UiState {
	if (!holders) {
		return say(state, 'only with the attach engine: the memory engine sees who holds locks, and a recording cannot ask');
	}

	const {heapBytes, heapBytesAtMost} = holders;
	// Some collectors do not report the heap in use before their first collection.
	const bytes = heapBytes ?? heapBytesAtMost;
	const size = bytes === undefined ? 'all of its heap' : `${heapBytes === undefined ? 'at most ' : ''}${formatBytes(bytes)} of heap`;
	const upTo = (ms: number) => formatDuration(Math.max(1, (bytes ?? 0) / (2 ** 30) * ms));
	const cost = bytes === undefined ? size : `${size}, up to ${upTo(maxHeapWalkMsPerGiB.default)} (ZGC ${upTo(maxHeapWalkMsPerGiB.zgc)})`;
	return withLayer({...state, message: undefined}, inputLayer('holders', `full dump stops the JVM: it walks ${cost} `));
}
