import {safe, type Printable} from '../../util/printable.js';
import type {SourcePhase} from '../../model/source.js';
import {formatCount, formatDuration, clock, clocks, dayAndTime} from '../../query/columns/format.js';
import {sourceKindOf, type ScreenData} from '../state/screen-data.js';
import {limitOf} from '../../query/summary/summary.js';
import type {UiState} from '../state/state.js';
import type {Role} from '../../model/role.js';

/** A state of the session, with its badge in the header and its message below the table. */
type SessionState = {
	/** The badge's role. */
	readonly role?: Role;
	/** Whether the message is an error. */
	readonly isAlarm?: true;
	holds(data: ScreenData, ui: UiState): boolean;
	badge?(data: ScreenData): Printable;
	message?(data: ScreenData): Printable;
};

/** How long after its start the session's note is shown, if there is no other message. */
const noteMs = 15_000;

const isIn = (phase: SourcePhase) => ({status}: ScreenData) => status.phase === phase;
const isSampling = isIn('sampling');

/** The badge shown is that of the first state that holds and has one; the message likewise. */
const sessionStates: readonly SessionState[] = [
	{holds: ({past}) => past !== undefined, role: 'hot', badge: ({past}) => safe`PAST ${clock(past!.toMs, true)}`},
	{
		holds: isIn('starting'),
		role: 'hot',
		badge: () => safe`STARTING`,
		message: ({status}) => status.message ?? safe`starting`,
	},
	{
		holds: isIn('ended'),
		role: 'error',
		badge: data => safe`ENDED ${endOf(data)}`,
		isAlarm: true,
		message: data =>
			safe`target ended ${endOf(data)}${data.status.message ? safe` (${data.status.message})` : ''}; s saves, q quits`,
	},
	{
		holds: isIn('failed'),
		role: 'error',
		badge: () => safe`FAILED`,
		isAlarm: true,
		message: ({status}) =>
			safe`${status.message ?? 'sampling failed'}${status.hint ? safe`; ${status.hint}` : ''}; s saves, q quits`,
	},
	{
		holds: ({status}) => status.span !== undefined,
		role: 'hot',
		badge: ({status}) => status.span!,
		message: ({status}) => status.message ?? safe``,
	},
	{
		holds: isIn('recording'),
		role: 'hot',
		badge: ({snapshot}) => safe`RECORDED ${snapshot ? dayAndTime(snapshot.session.takenAtMs) : ''}`.trim(),
	},
	{holds: ({vitals}) => vitals.isStopped === true, role: 'error', badge: () => safe`TARGET STOPPED`},
	{holds: ({vitals}) => vitals.isFrozen === true, role: 'error', badge: () => safe`TARGET FROZEN`},
	{
		holds: (_, {isPaused}) => isPaused,
		role: 'hot',
		badge: ({samplesSincePause}) => safe`PAUSED +${samplesSincePause} samples`,
	},
	{
		holds: ({status}) => status.stale,
		role: 'error',
		badge: () => safe`STALE`,
		isAlarm: true,
		message: ({status}) =>
			safe`these numbers are old; the latest could not be read${status.message ? safe` (${status.message})` : ''}`,
	},
	{
		holds: data => data.status.silentS !== undefined && isSampling(data),
		role: 'error',
		badge: ({status}) => safe`NO SAMPLE ${status.silentS ?? 0}s`,
		isAlarm: true,
		message: ({status}) => safe`no sample for ${status.silentS ?? 0} s${status.note ? safe`; ${status.note}` : ''}`,
	},
	{
		holds: data => data.status.nextS !== undefined && isSampling(data),
		role: 'hot',
		badge: ({status}) => safe`NEXT SAMPLE ${when(status.nextS!, safe`in`)}`,
		isAlarm: true,
		message: ({status, snapshot}) =>
			safe`sampling costs more than ${snapshot ? limitOf(snapshot.session) : 'its limit'} allows; the next sample ${
				when(status.nextS!, safe`comes in`)
			}`,
	},
	{
		holds: data => data.past !== undefined && sourceKindOf(data) === 'recording',
		message: ({past}) => safe`${clocks(past!.fromMs, past!.toMs)}; [ ] step, z span, Space plays, Esc all of it`,
	},
	{
		holds: ({past}) => past !== undefined,
		message: ({past, samplesSincePause}) =>
			safe`${clocks(past!.fromMs, past!.toMs)}; +${
				formatCount(samplesSincePause)
			} samples since; [ ] step, z span, Esc LIVE`,
	},
	{holds: (_, {isPaused}) => isPaused, message: () => safe`paused; still sampling. Space resumes`},
	{
		holds: isIn('paused'),
		role: 'hot',
		badge: () => safe`STOPPED`,
		message: () => safe`sampling is stopped; o restarts it`,
	},
	{
		holds: () => true,
		role: 'good',
		badge: ({nowMs}) => safe`LIVE ${clock(nowMs)}`,
		message: ({status, snapshot}) =>
			status.message ?? (snapshot !== undefined && snapshot.session.durationMs < noteMs ? status.note : undefined)
			?? safe``,
	},
];

/** Returns the badge of the session's current state. */
export function badgeOf(ui: UiState, data: ScreenData): {readonly text: Printable; readonly role: Role} {
	const {badge, role} = sessionStates.find(state => state.badge && state.holds(data, ui))!;
	return {text: badge!(data), role: role!};
}

/** Returns the message of the last key, or else of the session's current state; its text may be empty. */
export function messageOf(ui: UiState, data: ScreenData): {readonly text: Printable; readonly isAlarm: boolean} {
	if (ui.message) {
		return {text: ui.message.text, isAlarm: ui.message.tone === 'error'};
	}

	const {message, isAlarm = false} = sessionStates.find(state => state.message && state.holds(data, ui))!;
	return {text: message!(data), isAlarm};
}

/** Returns the time of the last sample, or the current time if there was none. */
function endOf({snapshot, nowMs}: ScreenData): Printable {
	const lastMs = snapshot?.session.lastSampleAtMs ?? 0;
	return clock(lastMs > 0 ? lastMs : nowMs, true);
}

/** Returns when the next sample comes: the words `before` and a duration, or `is due`. */
function when(seconds: number, before: Printable): Printable {
	return seconds > 0 ? safe`${before} ${formatDuration(seconds * 1000)}` : safe`is due`;
}
