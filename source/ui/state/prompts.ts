import {formatBytes, formatDuration} from '../../query/columns/format.js';
import {nameOf} from '../../views/traces/methods.js';
import type {ScreenContext} from './screen-context.js';
import {
	say, withEffect, withLayer, type InputLayer, type UiState,
} from './state.js';
import {rowAt} from './rows.js';

/** What is typed over: the row's method, or nothing. Enter has it looked up. */
export function askForTrace(state: UiState, screen: ScreenContext): UiState {
	const row = rowAt(state, screen);
	const location = row && screen.locationOf(row.view, row.key);
	const text = location && location.className !== '' ? nameOf({className: location.className, method: location.method === '' ? '*' : location.method}) : '';
	return withLayer({...state, message: undefined}, {
		kind: 'input', purpose: 'trace', label: 'trace: ', about: screen.traceNote, text, cursor: text.length,
	});
}

/** The state with the question whether to trace what was found; it waits below what is being typed or chosen. */
export function askToTrace(state: UiState, {question, about}: {readonly question: string; readonly about: string}): UiState {
	const asked: InputLayer = {
		kind: 'input', purpose: 'agree-to-trace', label: question, about, text: '', cursor: 0,
	};
	const at = state.layers.findLastIndex(({kind}) => kind !== 'input' && kind !== 'menu') + 1;
	return {...state, message: undefined, layers: [...state.layers.slice(0, at), asked, ...state.layers.slice(at)]};
}

/** The answer to it, as in a shell: y or yes, and anything else is no. */
export function answerToTrace(below: UiState, answer: string): UiState {
	return /^\s*y(?:es)?\s*$/i.test(answer)
		? withEffect(say(below, 'starting to trace...'), {type: 'trace'})
		: withEffect(say(below, 'nothing more is traced'), {type: 'forget-methods'});
}

/** What walking a heap takes at most, milliseconds per gigabyte in use. */
const msInGigabyte = {usual: 300, zgc: 900};

/** Asks before the JVM is asked, as it costs something. */
export function askForHolders(state: UiState, {holders}: ScreenContext): UiState {
	if (!holders) {
		return say(state, 'only with the attach engine: the memory engine sees who holds locks, and a recording cannot ask');
	}

	const {heapBytes, heapBytesAtMost} = holders;
	// Some collectors count what is in use when they collect, and not before.
	const bytes = heapBytes ?? heapBytesAtMost;
	const size = bytes === undefined ? 'all of its heap' : `${heapBytes === undefined ? 'at most ' : ''}${formatBytes(bytes)} of heap`;
	const upTo = (ms: number) => formatDuration(Math.max(1, (bytes ?? 0) / (2 ** 30) * ms));
	const cost = bytes === undefined ? size : `${size}, up to ${upTo(msInGigabyte.usual)} (ZGC ${upTo(msInGigabyte.zgc)})`;
	return withLayer({...state, message: undefined}, {
		kind: 'input', purpose: 'holders', label: `full dump stops the JVM: it walks ${cost} `, text: '', cursor: 0,
	});
}
