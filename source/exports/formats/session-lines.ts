import {joined, safe, type Printable} from '../../util/printable.js';
import {unattributed} from '../../model/frame.js';
import {engineName, type Snapshot, type TargetVitals} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {decimals, formatBytes} from '../../query/columns/format.js';
import {unseenVirtualThreads} from '../../query/counters/thread-table.js';
import {limitOf, renamedText, starvedText, summarize, unattributedText} from '../../query/summary/summary.js';
import type {Query} from '../../query/types/query.js';
import {timeText} from '../common/text-table.js';
import {windowStats} from '../common/window-snapshot.js';

/** Returns start, duration, engine and interval. */
export function timeLine(snapshot: Snapshot, baseline: Snapshot | undefined): Printable {
	const session = windowStats(snapshot.session, baseline?.session);
	const {startedAtMs, durationMs, intervalMs, requestedIntervalMs} = session;
	const requested = requestedIntervalMs > 0 && intervalMs > requestedIntervalMs
		? safe`, ${decimals(requestedIntervalMs, 1)} ms requested`
		: safe``;
	const every = intervalMs > 0 ? safe` every ${decimals(intervalMs, 1)} ms${requested}` : safe``;
	return safe`${timeText(startedAtMs)} for ${decimals(durationMs / 1000, 1)} s | engine ${engineName(session)}${every}`;
}

/** Returns samples, losses and cost. */
export function costLine(snapshot: Snapshot, baseline: Snapshot | undefined): Printable {
	const session = windowStats(snapshot.session, baseline?.session);
	const {targetStoppedMs, targetInterruptedMs, pauseP50Us, pauseP99Us, pauseWorstUs} = session;
	const share = (ms: number) => session.durationMs > 0
		? safe` (${decimals(100 * ms / session.durationMs, 1)}%)`
		: safe``;
	const stopped = safe`target stopped ${decimals(targetStoppedMs, 1)} ms${share(targetStoppedMs)}`;
	const interrupted = targetInterruptedMs > 0
		? safe` interrupted ${decimals(targetInterruptedMs, 1)} ms${share(targetInterruptedMs)}`
		: safe``;
	return joined([
		safe`samples ${session.samples} late ${session.late} failed ${session.failed}`,
		safe`${stopped}${interrupted}`,
		safe`own CPU ${decimals(session.selfCpuMs, 0)} ms${share(session.selfCpuMs)}`,
		...(pauseWorstUs > 0
			? [safe`pauses p50 ${pause(pauseP50Us)} p99 ${pause(pauseP99Us)} worst ${pause(pauseWorstUs)}`]
			: []),
	], safe` | `);
}

/** Returns the threads by state at the end (none in another tool's profile), and CPU time by kind of thread. */
export function statesLine(snapshot: Snapshot, baseline: Snapshot | undefined): Printable {
	const {threads, statesNow, javaCpuPercent, jitCpuPercent, vmCpuPercent} = summarize(snapshot, baseline);
	const [running, blocked, waiting, timed, idle]
		= (['RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'IDLE'] as const).map(state =>
			statesNow[stateCode[state]]);
	return joined([
		...(threads > 0
			? [safe`threads ${threads}: RUN ${running} BLK ${blocked} WAIT ${waiting} TIMED ${timed} idle ${idle}`]
			: []),
		safe`CPU Java ${decimals(javaCpuPercent, 0)}% JIT ${decimals(jitCpuPercent, 0)}% JVM ${decimals(vmCpuPercent, 0)}%`,
	], safe` | `);
}

/** Returns heap, collections, safepoints and compilations, as far as known, in the words of the screen's header. */
export function vitalsLine(vitals: TargetVitals = {}): Printable {
	const {heapUsedBytes, heapCapacityBytes, gcPercent, gcCause, safepointPercent = 0, compilationsPerS = 0} = vitals;
	return joined([
		...(heapUsedBytes !== undefined && heapCapacityBytes !== undefined
			? [safe`heap ${formatBytes(heapUsedBytes)}/${formatBytes(heapCapacityBytes)}`]
			: []),
		...(gcPercent === undefined
			? []
			: [safe`GC ${decimals(gcPercent, 0)}%${gcCause === undefined || gcPercent < 1 ? '' : safe` (${gcCause})`}`]),
		...(safepointPercent < 1 ? [] : [safe`safepoints ${decimals(safepointPercent, 0)}%`]),
		...(compilationsPerS < 1 ? [] : [safe`compiled ${decimals(compilationsPerS, 0)}/s`]),
	], safe` | `);
}

/** An interval of this many times the requested one gets a note. */
const notedSlowdown = 2;

/** Returns notes on what the figures of a query lack, and on sampling that was not as requested. */
export function noteLines(
	snapshot: Snapshot,
	baseline: Snapshot | undefined,
	{filter}: Pick<Query, 'filter'>,
): Printable[] {
	const stats = windowStats(snapshot.session, baseline?.session);
	const {incompleteStacks, refusedThreads, lateThreads, otherTicks, intervalMs, requestedIntervalMs} = stats;
	const missing = unattributedText(summarize(snapshot, baseline));
	const starved = starvedText(snapshot, baseline);
	const renamed = renamedText(snapshot, filter);
	return [
		...(renamed ? [renamed] : []),
		...(starved ? [starved] : []),
		...(requestedIntervalMs > 0 && intervalMs >= notedSlowdown * requestedIntervalMs
			? [safe`samples are taken every ${decimals(intervalMs, 1)} ms, not every ${
				decimals(requestedIntervalMs, 1)
			} ms: sampling faster would exceed ${limitOf(stats)}`]
			: []),
		...(missing ? [safe`${missing}; this CPU time is shown as ${unattributed.className}`] : []),
		...(incompleteStacks > 0 ? [safe`${incompleteStacks} incomplete stacks (their outer frames are missing)`] : []),
		...(refusedThreads > 0
			? [safe`${
				refusedThreads
			} thread samples without a stack: a debugger is attached to the threads, or permission to stop them was lost`]
			: []),
		...(lateThreads > 0 ? [safe`${lateThreads} thread samples without a stack: the threads did not stop in time`] : []),
		...[unseenVirtualThreads(snapshot)].filter(text => text !== undefined),
		...(otherTicks > 0 ? [safe`${otherTicks} thread samples counted under "(other)": the table was full`] : []),
	];
}

function pause(us: number): Printable {
	return us < 1000 ? safe`${decimals(us, 0)} us` : safe`${decimals(us / 1000, 1)} ms`;
}
