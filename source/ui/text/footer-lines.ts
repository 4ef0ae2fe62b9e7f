import {cellWidth, cutStart} from '../../model/cell-width.js';
import {formatCount, formatDuration} from '../../query/columns/format.js';
import {hintPieces} from '../keys/hints.js';
import {shownKeys} from '../keys/key-changes.js';
import {keysOf, type KeyRow} from '../state/keys.js';
import {inputError} from '../state/reduce-input.js';
import type {ScreenData} from '../state/screen-data.js';
import {
	contextOf, type InputLayer, type MenuLayer, type UiState,
} from '../state/state.js';
import type {Size} from '../terminal/terminal.js';
import {Theme} from '../terminal/theme.js';
import {layoutOf, type Layout} from './layout.js';
import {lastSampleMs} from './header-lines.js';
import {clock, clocks} from './clock.js';
import {
	cut, fitPieces, styledWidth, wrapped, type Piece,
} from './cells.js';

/** Keys of the key line that stay longest where it is narrow, the last to go first. */
const keyOrder = ['quit', 'help-view', 'back', 'accept', 'filter', 'open', 'sort-menu', 'pause', 'save', 'next-view'];

/** So long the session's note stands in the message line, when nothing else has to be said. */
const noteMs = 15_000;

/** The message in as many lines as the layout has for it; what finds no room is in the help. */
export function shownMessage(state: UiState, data: ScreenData, {width, messageLines: room}: Layout, theme: Theme): string[] {
	const lines = messageLines(state, data, width, theme);
	return lines.length > room ? [...lines.slice(0, room - 1), theme.paint('dim', cut('... press ? to read all of it', width))] : lines;
}

/**
The line being typed and what is wrong with it, or the message, or what the session has to say: all of it, in one line
or more.
*/
export function messageLines(state: UiState, data: ScreenData, width: number, theme: Theme): string[] {
	const input = state.layers.at(-1);
	if (input?.kind === 'input') {
		return inputLines(input, width, theme);
	}

	const {text, isAlarm} = messageText(state, data);
	return wrapped(text, width).map(line => isAlarm || state.message === undefined ? theme.paint(isAlarm ? 'error' : 'dim', line) : line);
}

/** What is to be said now, beside the line being typed. */
export function messageText(state: UiState, data: ScreenData): {readonly text: string; readonly isAlarm: boolean} {
	return state.message ? {text: state.message.text, isAlarm: state.message.tone === 'error'} : statusText(state, data);
}

/** What the session has to say, when nothing else has. */
function statusText(state: UiState, {status, snapshot, nowMs, past, samplesSincePause}: ScreenData): {readonly text: string; readonly isAlarm: boolean} {
	const {phase} = status;
	if (phase === 'ended') {
		return {text: `target ended ${clock(lastSampleMs(snapshot) ?? nowMs, true)}${status.message ? ` (${status.message})` : ''}; s saves, q quits`, isAlarm: true};
	}

	if (phase === 'failed') {
		return {text: `${status.message ?? 'sampling failed'}${status.hint ? `; ${status.hint}` : ''}; s saves, q quits`, isAlarm: true};
	}

	if (phase === 'starting') {
		return {text: status.message ?? 'starting', isAlarm: false};
	}

	if (status.stale) {
		return {text: `these numbers are old; the latest could not be read${status.message ? ` (${status.message})` : ''}`, isAlarm: true};
	}

	if (status.silentS !== undefined && phase === 'sampling') {
		return {text: `no sample for ${status.silentS} s${status.note ? `; ${status.note}` : ''}`, isAlarm: true};
	}

	if (status.nextS !== undefined && phase === 'sampling') {
		const when = status.nextS > 0 ? `comes in ${formatDuration(status.nextS * 1000)}` : 'is due';
		return {text: `sampling costs more than --max-overhead allows; the next sample ${when}`, isAlarm: true};
	}

	if (past) {
		const since = `${phase === 'sampling' ? 'sampling goes on, ' : ''}+${formatCount(samplesSincePause)} samples`;
		return {text: `${clocks(past.fromMs, past.toMs)}; ${since}; [ ] step, z span, Esc LIVE`, isAlarm: false};
	}

	if (state.isPaused) {
		return {text: 'paused; still sampling. Space resumes', isAlarm: false};
	}

	if (phase === 'paused') {
		return {text: 'sampling is stopped; o restarts it', isAlarm: false};
	}

	// How samples are got is said while the session is young; a wide header goes on saying it.
	const isYoung = snapshot !== undefined && snapshot.session.durationMs < noteMs;
	return {text: status.message ?? (isYoung ? status.note : undefined) ?? '', isAlarm: false};
}

/** The line being typed, and what is wrong with it: behind it where that fits, else below; then what is to be known. */
function inputLines(input: InputLayer, width: number, theme: Theme): string[] {
	const error = inputError(input);
	const line = inputLine(input, width, theme);
	const about = input.about === undefined ? [] : wrapped(input.about, width).map(part => theme.paint('dim', part));
	if (error === undefined) {
		return [line, ...about];
	}

	const room = width - styledWidth(line) - errorGap.length;
	return cellWidth(error) <= room
		? [line + errorGap + theme.paint('error', error), ...about]
		: [line, ...wrapped(error, width).map(part => theme.paint('error', part)), ...about];
}

const errorGap = '  ';

/** The line being typed with its cursor shown; its end stays on the screen. */
function inputLine({label, text, cursor, isSelected}: InputLayer, width: number, theme: Theme): string {
	const [at = ' ', ...after] = text.slice(cursor);
	const room = Math.max(1, width - cellWidth(at) - Math.min(cellWidth(label), Math.floor(width / 2)));
	const shown = cutStart(text.slice(0, cursor), room);
	const lead = cut(label, Math.max(0, width - cellWidth(at) - cellWidth(shown)));
	const rest = cut(after.join(''), Math.max(0, width - cellWidth(lead) - cellWidth(shown) - cellWidth(at)));
	const before = isSelected ? (theme.hasColor ? theme.paint('selected', shown) : `[${shown}]`.slice(0, Math.max(0, width - cellWidth(lead) - cellWidth(at)))) : shown;
	return width <= 0 ? '' : theme.paint('key', lead) + before + (theme.hasColor ? theme.paint('selected', at) : (at === ' ' ? '_' : at)) + rest;
}

/** What Enter and Esc do in an input line, by what is typed there. */
const inputTitles: Readonly<Record<InputLayer['purpose'], Readonly<Record<string, string>>>> = {
	filter: {accept: 'keep', back: 'clear'}, delay: {accept: 'set', back: 'cancel'}, 'save-name': {accept: 'save', back: 'cancel'}, trace: {accept: 'look up', back: 'cancel'}, 'agree-to-trace': {accept: 'answer', back: 'no'}, holders: {accept: 'ask', back: 'cancel'},
};

/** The same in a menu, where they are others than in most. */
const menuTitles: Readonly<Record<MenuLayer['purpose'], Readonly<Record<string, string>>>> = {
	sort: {}, 'save-format': {}, columns: {accept: 'on or off', back: 'done'},
};

/** Keys of a detail that mean nothing where no line of it stands for another row. */
const onLinks: ReadonlySet<KeyRow['action']> = new Set(['next-link', 'accept']);

/**
The keys that matter here, as many as fit; on low screens those of the selected row among them. `leadsOn`: whether a
line of a detail stands for another row.
*/
export function keyLine(state: UiState, data: ScreenData, {width, hasHints, leadsOn}: Pick<Layout, 'width' | 'hasHints'> & {readonly leadsOn: boolean}, theme: Theme): string {
	const input = state.layers.at(-1);
	const isInput = input?.kind === 'input';
	const titles = isInput ? inputTitles[input.purpose] : (input?.kind === 'menu' ? menuTitles[input.purpose] : {});
	// What is invalid stays to be corrected.
	const isRefused = isInput && inputError(input) !== undefined;
	const isMeant = ({title, action}: KeyRow) => title !== undefined && !(isRefused && action === 'accept') && (leadsOn || !onLinks.has(action));
	const keys = keysOf(contextOf(state), data.status.phase === 'recording').filter(row => isMeant(row));
	const pieces = keys.map((row): Piece => {
		const {title, action} = row;
		const [key] = (isInput ? row.shown : shownKeys(row, state.keyChanges)).split(' ');
		return {
			text: key === '' ? '' : `${key}:${titles[action] ?? title}`,
			rank: keyOrder.includes(action) ? keyOrder.indexOf(action) : keyOrder.length,
			look: text => theme.paint('key', text.slice(0, key.length)) + text.slice(key.length),
		};
	});
	if (hasHints || state.layers.length > 0) {
		return fitPieces(pieces, width, keyGap);
	}

	// Quitting and help stay.
	const kept = pieces.filter(({rank}) => rank < 2).map(piece => ({...piece, rank: 0}));
	const room = width - cellWidth(kept.map(({text}) => text).join(keyGap)) - keyGap.length;
	return fitPieces([...kept, ...hintPieces(state, data, room, theme).map(piece => ({...piece, rank: piece.rank + 1}))], width, keyGap);
}

const keyGap = '  ';

/** For counting lines. */
const plain = new Theme({color: false, ascii: true});

/** What is to be read above the table's rows, in lines. */
export function aboveLines({table}: ScreenData, width: number): string[] {
	return table?.above === undefined ? [] : wrapped(table.above, width);
}

/** What fits on the screen beside what is to be said now. */
export function layoutFor(state: UiState, data: ScreenData, size: Size): Layout {
	const width = size.columns - 1;
	return layoutOf(size, messageLines(state, data, width, plain).length, data.past !== undefined, aboveLines(data, width).length);
}
