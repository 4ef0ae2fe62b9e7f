import {cellWidth, cutStart} from '../model/cell-width.js';
import {formatDuration} from '../query/format.js';
import {cut, fitPieces} from './cells.js';
import {clock} from './clock.js';
import {lastSampleMs} from './header-lines.js';
import {keysOf} from './keys.js';
import type {Layout} from './layout.js';
import type {ScreenData} from './screen-data.js';
import {contextOf, type InputLayer, type UiState} from './state.js';
import type {Theme} from './theme.js';

/** Keys of the key line that stay longest where it is narrow, the last to go first. */
const keyOrder = ['quit', 'help', 'back', 'accept', 'filter', 'open', 'sort-menu', 'pause', 'save', 'next-view'];

/** So long the session's note stands in the message line, when nothing else has to be said. */
const noteMs = 15_000;

/** The message line and the key line, where the layout has them. */
export function footerLines(state: UiState, data: ScreenData, {width, hasFooter}: Layout, theme: Theme): string[] {
	return hasFooter ? [messageLine(state, data, width, theme), keyLine(state, width, theme)] : [];
}

/** The line being typed, or the message, or what the session has to say. */
export function messageLine(state: UiState, data: ScreenData, width: number, theme: Theme): string {
	const input = state.layers.at(-1);
	if (input?.kind === 'input') {
		return inputLine(input, width, theme);
	}

	if (state.message) {
		const text = cut(state.message.text, width);
		return state.message.tone === 'error' ? theme.paint('error', text) : text;
	}

	const {text, isAlarm} = statusText(state, data);
	const fitting = cut(text, width);
	return isAlarm ? theme.paint('error', fitting) : theme.paint('dim', fitting);
}

/** What the session has to say, when nothing else has. */
function statusText(state: UiState, {status, snapshot, nowMs, filterError}: ScreenData): {readonly text: string; readonly isAlarm: boolean} {
	const {phase} = status;
	if (phase === 'ended') {
		return {text: `target ended ${clock(lastSampleMs(snapshot) ?? nowMs, true)}${status.message ? ` (${status.message})` : ''}; s saves, q quits`, isAlarm: true};
	}

	if (phase === 'failed') {
		return {text: `${status.message ?? 'sampling failed'}${status.hint ? `; ${status.hint}` : ''}; s saves, q quits`, isAlarm: true};
	}

	if (phase === 'starting') {
		return {text: status.message ?? 'starting to sample', isAlarm: false};
	}

	if (filterError) {
		return {text: `filter: ${filterError}`, isAlarm: true};
	}

	if (status.stale) {
		return {text: `these numbers are old: the newest could not be read${status.message ? ` (${status.message})` : ''}`, isAlarm: true};
	}

	if (status.silentS !== undefined && phase === 'sampling') {
		return {text: `no sample came for ${status.silentS} s${status.note ? `; ${status.note}` : ''}`, isAlarm: true};
	}

	if (status.nextS !== undefined && phase === 'sampling') {
		const when = status.nextS > 0 ? `comes in ${formatDuration(status.nextS * 1000)}` : 'is due';
		return {text: `samples cost more than --max-overhead allows: the next one ${when}`, isAlarm: true};
	}

	if (state.isPaused) {
		return {text: 'the screen is held, sampling goes on; Space goes on', isAlarm: false};
	}

	if (phase === 'paused') {
		return {text: 'sampling is stopped; o starts it again', isAlarm: false};
	}

	// How samples are got is said while the session is young; a wide header goes on saying it.
	const isYoung = snapshot !== undefined && snapshot.session.durationMs < noteMs;
	return {text: status.message ?? (isYoung ? status.note : undefined) ?? '', isAlarm: false};
}

/** The line being typed with its cursor shown; its end stays on the screen. */
function inputLine({label, text, cursor}: InputLayer, width: number, theme: Theme): string {
	const [at = ' ', ...after] = text.slice(cursor);
	const room = Math.max(1, width - cellWidth(at) - Math.min(cellWidth(label), Math.floor(width / 2)));
	const shown = cutStart(text.slice(0, cursor), room);
	const lead = cut(label, Math.max(0, width - cellWidth(at) - cellWidth(shown)));
	const rest = cut(after.join(''), Math.max(0, width - cellWidth(lead) - cellWidth(shown) - cellWidth(at)));
	return width <= 0 ? '' : theme.paint('key', lead) + shown + (theme.hasColor ? theme.paint('selected', at) : (at === ' ' ? '_' : at)) + rest;
}

/** The keys that matter here, as many as fit. */
export function keyLine(state: UiState, width: number, theme: Theme): string {
	const keys = keysOf(contextOf(state)).filter(({title}) => title !== undefined);
	return fitPieces(keys.map(({shown, title, action}) => {
		const key = shown.split(' ')[0];
		return {
			text: `${key}:${title}`,
			rank: keyOrder.includes(action) ? keyOrder.indexOf(action) : keyOrder.length,
			look: (text: string) => theme.paint('key', text.slice(0, key.length)) + text.slice(key.length),
		};
	}), width, '  ');
}
