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

/** The timer at work, if any, and what there is to say of it in a printable line. */
export type ChosenTimer = {readonly perf?: RunningTimer; readonly timer?: TimerId; readonly note?: string};

const allBudget = 100;

/** Takes the timer that is asked for; throws SessionOver where events are and cannot be had. */
export function chooseTimer({perf: calls, ptrace}: Opened, target: Target, {timer = 'stop', maxOverheadPercent = allBudget, threadEvents: isOfThreads = false}: EngineOptions, stacks: RecordedStacks): ChosenTimer {
	const stop = ptrace ? {timer: 'stop'} as const : {};
	if (timer === 'stop') {
		return stop;
	}

	const allowed = calls ? allowedEvents(calls, target.pid) : {refusal: 'the koffi package does not load here'};
	if (allowed.refusal !== undefined || !calls) {
		if (timer === 'perf') {
			throw new SessionOver(`perf_event_open is refused: ${allowed.refusal}`, {targetEnded: false, hint: 'use --timer stop, or run as root'});
		}

		return calls ? {...stop, note: `threads are stopped to read their stacks, as perf_event_open is refused: ${allowed.refusal}`} : stop;
	}

	const period = new Period(maxOverheadPercent);
	const rings = allowed.withKernel && !isOfThreads ? CpuRings.open(calls, target.pid, period.ns) : undefined;
	if (rings) {
		return {perf: new CpuTimer(calls, rings, stacks, {pid: target.pid, period}), timer: 'perf'};
	}

	return {
		perf: new PerfTimer(calls, stacks, {withKernel: allowed.withKernel, period, aliveMs: Date.now() - target.facts.startedAtMs}), timer: 'perf',
		note: allowed.withKernel ? undefined : `CPU time in system calls has no stacks of its own (kernel.perf_event_paranoid ${paranoid()})`,
	};
}
