import {constants} from 'node:os';
import {type Target} from '../../../../jvm/target.js';
import {threadIdsOf} from '../../../../jvm/threads/native-ids.js';
import {SessionOver, type EngineOptions} from '../../../common/engine.js';
import {paranoid, refusalOf, type PerfCalls} from './perf-calls.js';
import {CpuRings} from './cpu-rings.js';
import {CpuTimer} from './cpu-timer.js';
import {periodOf, type PerfTimer} from './perf-timer.js';
import {ThreadTimer, ThreadEvent, ringSizes} from './thread-timer.js';
import {type RecordedStacks} from './recorded-stack.js';

/** `perf`: undefined if threads are stopped instead; `note`: a printable line about what the timer misses. */
type ChosenTimer = {readonly perf?: PerfTimer; readonly note?: string};

/** Opens the requested timer; throws SessionOver if that is `perf` and events are refused. */
export function chooseTimer(
	calls: PerfCalls,
	target: Target,
	{timer = 'stop', maxOverheadPercent = 100, threadEvents = false}: EngineOptions,
	stacks: RecordedStacks,
): ChosenTimer {
	if (timer === 'stop') {
		return {};
	}

	const allowed = allowedEvents(calls, target.pid);
	if (allowed.refusal !== undefined) {
		if (timer === 'perf') {
			throw new SessionOver(`perf_event_open is refused: ${allowed.refusal}`, {
				targetEnded: false,
				hint: 'use --timer stop, or run as root',
			});
		}

		return {note: `threads are stopped to read their stacks, as perf_event_open is refused: ${allowed.refusal}`};
	}

	const periodNs = periodOf(maxOverheadPercent);
	const rings = allowed.withKernel && !threadEvents ? CpuRings.open(calls, target.pid, periodNs) : undefined;
	if (rings instanceof CpuRings) {
		return {perf: new CpuTimer(calls, rings, stacks, {pid: target.pid, periodNs})};
	}

	return {
		perf: new ThreadTimer(calls, stacks, {withKernel: allowed.withKernel, periodNs}),
		note: whatThreadEventsMiss(allowed.withKernel, rings),
	};
}

/** Returns what events on threads miss. `refusal`: why events on CPUs are refused. */
function whatThreadEventsMiss(withKernel: boolean, refusal: string | undefined): string | undefined {
	if (!withKernel) {
		return `CPU time in system calls has no stacks of its own (kernel.perf_event_paranoid ${paranoid()})`;
	}

	return refusal && `threads that live for milliseconds have no records, as events on CPUs are refused: ${refusal}`;
}

/** Maximum threads on which an event is tried: more than one, because a thread may be ending. */
const maxThreadsTried = 4;

/** The period of an event that is only tried: long enough for the kernel to write no record. */
const trialPeriodNs = 1e9;

/** `withKernel`: events may include time in system calls; `refusal`: why there can be no events. */
type AllowedEvents = {readonly withKernel: boolean; readonly refusal?: undefined} | {readonly refusal: string};

/** Finds out which events are permitted by opening one and closing it at once. Never throws. */
export function allowedEvents(calls: PerfCalls, pid: number): AllowedEvents {
	const kernelError = tryEvent(calls, pid, {withKernel: true});
	if (kernelError === 0) {
		return {withKernel: true};
	}

	// Only EACCES can depend on system calls being included.
	const error = kernelError === constants.errno.EACCES ? tryEvent(calls, pid, {withKernel: false}) : kernelError;
	return error === 0 ? {withKernel: false} : {refusal: refusalOf(error)};
}

/** Returns 0 if an event on one of the process's threads opens; otherwise an errno. */
function tryEvent(calls: PerfCalls, pid: number, {withKernel}: {readonly withKernel: boolean}): number {
	// The main thread usually lives as long as the process.
	for (const tid of [pid, ...threadIdsOf(pid)].slice(0, maxThreadsTried)) {
		const event = ThreadEvent.open(calls, tid, {size: ringSizes.at(-1)!, periodNs: trialPeriodNs, withKernel});
		if (typeof event !== 'number') {
			event.close();
			return 0;
		}

		if (event !== constants.errno.ESRCH) {
			return event;
		}
	}

	return constants.errno.ESRCH;
}
