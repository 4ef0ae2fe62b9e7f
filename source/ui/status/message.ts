import {formatCount, formatDuration} from '../../query/columns/format.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import {clock, clocks} from '../text/clock.js';
import {lastSampleMs} from './items.js';

/** How long after the start the session's note is shown if there is no other message. */
const noteMs = 15_000;

/** The message of the last key, or what the session has to say; an empty one for nothing. */
export function messageOf(ui: UiState, data: ScreenData): {readonly text: string; readonly isAlarm: boolean} {
	return ui.message ? {text: ui.message.text, isAlarm: ui.message.tone === 'error'} : sessionMessage(ui, data);
}

function sessionMessage(ui: UiState, {status, snapshot, nowMs, past, samplesSincePause}: ScreenData): {readonly text: string; readonly isAlarm: boolean} {
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
		return {text: `${clocks(past.fromMs, past.toMs)}; +${formatCount(samplesSincePause)} samples since; [ ] step, z span, Esc LIVE`, isAlarm: false};
	}

	if (ui.isPaused) {
		return {text: 'paused; still sampling. Space resumes', isAlarm: false};
	}

	if (phase === 'paused') {
		return {text: 'sampling is stopped; o restarts it', isAlarm: false};
	}

	const isYoung = snapshot !== undefined && snapshot.session.durationMs < noteMs;
	return {text: status.message ?? (isYoung ? status.note : undefined) ?? '', isAlarm: false};
}
