import {type Target} from '../../../jvm/target.js';
import {SessionOver, type EngineOptions, type TimerId} from '../../engine.js';
import {type Opened} from '../open.js';
import {allowedEvents, paranoid} from './open.js';
import {CpuRings} from './cpu-rings.js';
import {CpuTimer} from './cpu-timer.js';
import {Period} from './period.js';
import {PerfTimer} from './perf-timer.js';
import {type RecordedStacks} from './recorded-stack.js';
import {type RunningTimer} from './running-timer.js';

/** The timer in use, if any, and a printable line about it. */
type ChosenTimer = {readonly perf?: RunningTimer; readonly timer?: TimerId; readonly note?: string};

const allBudget = 100;

/** Opens the requested timer; throws SessionOver if that is `perf` and events are refused. */
export function chooseTimer({perf: calls, ptrace}: Opened, target: Target, {timer = 'stop', maxOverheadPercent = allBudget, threadEvents: isOfThreads = false}: EngineOptions, stacks: RecordedStacks): ChosenTimer {
	const stop = ptrace ? {timer: 'stop'} as const : {};
	if (timer === 'stop') {
		return stop;
	}

	const allowed = calls ? allowedEvents(calls, target.pid) : {refusal: 'koffi does not load here'};
	if (allowed.refusal !== undefined || !calls) {
		if (timer === 'perf') {
			throw new SessionOver(`perf_event_open is refused: ${allowed.refusal}`, {targetEnded: false, hint: 'use --timer stop, or run as root'});
		}

		return calls ? {...stop, note: `threads are stopped to read their stacks, as perf_event_open is refused: ${allowed.refusal}`} : stop;
	}

	const period = new Period(maxOverheadPercent);
	let refusal: string | undefined;
	const rings = allowed.withKernel && !isOfThreads
		? CpuRings.open(calls, target.pid, period.ns, reason => {
			refusal = reason;
		})
		: undefined;
	if (rings) {
		return {perf: new CpuTimer(calls, rings, stacks, {pid: target.pid, period}), timer: 'perf'};
	}

	return {
		perf: new PerfTimer(calls, stacks, {withKernel: allowed.withKernel, period, aliveMs: Date.now() - target.facts.startedAtMs}), timer: 'perf',
		note: noteOf(allowed.withKernel, refusal),
	};
}

/** What events on threads miss; `refusal`: why events on CPUs were refused. */
function noteOf(withKernel: boolean, refusal: string | undefined): string | undefined {
	if (!withKernel) {
		return `CPU time in system calls has no stacks of its own (kernel.perf_event_paranoid ${paranoid()})`;
	}

	return refusal && `threads that live for milliseconds have no records, as events on CPUs are refused: ${refusal}`;
}
