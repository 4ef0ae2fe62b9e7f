import {joined, safe, type Printable} from '../../util/printable.js';
import {isCollector, jvmWork, workOf} from '../../model/jvm-stacks.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {mostOf} from '../../util/sum.js';
import {stateSets} from '../filter/state-sets.js';
import {cycleText, deadlocksOf} from '../locks/deadlocks.js';
import {countedLines} from '../counted-lines.js';
import {countedThreads, countersInWindow, scopeOf} from '../counters/scope.js';
import {defaultQuery, type Finding, type Location, type SummaryOptions, type Query} from '../types/query.js';
import {locationNameOrEmpty} from '../columns/column.js';
import {maxLocationCells, shortName} from '../columns/names.js';
import {appLine} from '../counters/attribution.js';
import {framesOf} from '../counters/stack-index.js';
import {decimals, formatBytes} from '../columns/format.js';
import {corePercent, sampledMs} from '../counters/share.js';
import {threadKind, threadCpuNs} from '../counters/thread-table.js';
import {cpuFinding} from './cpu-finding.js';
import {allocationFinding, exceptionsFinding, startsFinding} from './event-findings.js';
import {growthFindings, limitFindings} from './limit-findings.js';
import {summaryQuery} from './summary.js';
import {threadGrowthFinding} from './pool-findings.js';
import {waitFindings} from './wait-findings.js';

/**
Returns the program's problems in the window, the worst first, those with a cause outside the program last. Ignores the
query's filter.
*/
export function findingsOf(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	known: Omit<SummaryOptions, 'showsWaits'> = {},
): readonly Finding[] {
	const whole: Query = {
		...query,
		filter: safe``,
		threadKeys: undefined,
		ownFirst: true,
		states: stateSets[0].states,
		unit: 'cpu',
		summary: {...known, showsWaits: true},
	};
	const summarized = summaryQuery(snapshot, since, whole);
	const deadlocks = deadlocksOf(snapshot).map((deadlock): Finding => ({
		id: 'deadlock', text: safe`DEADLOCK: ${cycleText(deadlock)}`, figures: {threads: deadlock.length}, isAlarm: true,
	}));
	const stopped = stoppedFinding(snapshot, known.vitals);
	const counted = countedThreads(snapshot, scopeOf(snapshot, whole));
	const alive = counted.filter(thread => snapshot.threads.alive[thread] === 1);
	const growth = threadGrowthFinding(snapshot, whole, alive, known.vitals);
	const ofJvm = jvmFinding(snapshot, since, known.vitals, whole);
	// What is used up is certain, and may be why threads wait.
	const [usedUp, others] = [
		[ofJvm?.isAtLimit ? ofJvm : undefined, ...limitFindings(known.vitals)],
		[
			...growthFindings(known.vitals),
			growth,
			ofJvm?.isAtLimit ? undefined : ofJvm,
			safepointFinding(known.vitals),
			cpuFinding(snapshot, since, whole, known.vitals),
			allocationFinding([snapshot, since, whole], ofJvm?.id === 'gc' || ofJvm?.id === 'heap', known.vitals),
			exceptionsFinding(snapshot, since, whole),
			startsFinding([snapshot, since, whole], growth !== undefined),
		],
	].map(findings => findings.filter(finding => finding !== undefined));
	// More and more threads wait together, too: their growth is the cause, and says where they are.
	const waits = waitFindings(snapshot, summarized, summarized !== whole).filter(({id}) =>
		!growth || id !== 'together');
	return [...(stopped ? [stopped] : []), ...deadlocks, ...usedUp, ...waits, ...others];
}

/** Returns the finding that the process does not run at all. */
function stoppedFinding({target: {pid}}: Snapshot, {isStopped, isFrozen}: TargetVitals = {}): Finding | undefined {
	if (!isStopped && !isFrozen) {
		return undefined;
	}

	const text = isStopped
		? safe`A signal has stopped the process: it does not run until kill -CONT.`
		: safe`The process is frozen by its cgroup: it does not run until that is thawed.`;
	return {id: 'stopped', text, figures: {pid}};
}

/** Minimum share of the time that safepoints stop the program, collections not counted, for a finding. */
const muchAtSafepointsPercent = 20;

/** Returns the finding that the program stands still for safepoints that are no collections. */
function safepointFinding({safepointPercent = 0, gcPercent = 0}: TargetVitals = {}): Finding | undefined {
	const percent = Math.round(safepointPercent - gcPercent);
	return percent < muchAtSafepointsPercent
		? undefined
		: {
			id: 'safepoint',
			text: safe`Safepoints stop the program ${percent}% of the time, collections not counted: ${
				'all threads wait until the last one has stopped'
			}.`,
			figures: {safepointPercent: decimals(safepointPercent, 1), pausedPercent: decimals(gcPercent, 1)},
		};
}

/** Minimum CPU time of the JVM's own threads for a finding: percentage of a core, and multiple of the program's. */
const muchOfJvmPercent = 50;
const muchOfJvmTimes = 2;

/**
Minimum CPU time for a finding, of collectors: percentage of a core; of compilers, which rarely use that much:
percentage of a core, and multiple of the program's.
*/
const muchOfCollectorsPercent = 20;
const muchOfJitPercent = 20;
const muchOfJitTimes = 0.5;

/** In the first minute every program is compiled: only this multiple of its CPU time is a finding. */
const warmUpMs = 60_000;
const muchOfWarmUpTimes = 1.5;

const muchPausedPercent = 20;

/**
Minimum share of the last minute, in which a figure varies less: of all pauses, and of those that the program causes
itself.
*/
const muchOfMinutePercent = 15;
const muchCausedPercent = 5;

/** If the process used less CPU than this fraction of the pauses, its collections waited for a CPU. */
const leastWorkInPauses = 0.5;

/** A heap filled to `fullPercent` is a finding with `collectingPercent` of pauses; to `overfullPercent`, always. */
const fullPercent = 90;
const collectingPercent = 5;
const overfullPercent = 97;

/** A program that stands still for this part of the time mostly collects, for a heap filled to `nearlyFullPercent`. */
const mostlyPausedPercent = 50;
const nearlyFullPercent = 80;

/** Minimum window, milliseconds: a shorter one may be a single collection. */
const minWindowMs = 300;

/** Minimum window for collectors' CPU time, which is read once a second. */
const minCollectorWindowMs = 1000;

/** Returns the finding on the JVM itself: garbage collection, a full heap, its own threads, or its compilers. */
export function jvmFinding(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	vitals: TargetVitals = {},
	query: Query = defaultQuery,
): Finding | undefined {
	const {threads} = snapshot;
	const overMs = sampledMs(snapshot, since);
	if (overMs < minWindowMs) {
		return undefined;
	}

	const {cpuNs, most} = cpuByKind(snapshot, since);
	const percentOf = (ns: number) => Math.round(corePercent(ns, overMs));
	const programPercent = percentOf(cpuNs.java);
	const collectorsPercent = overMs < minCollectorWindowMs ? 0 : percentOf(cpuNs.collectors);
	const causeOf = (gcCause: string) => causeInProgram(snapshot, since, query, gcCause);
	const collecting = collectingFinding(collectorsPercent, programPercent, vitals, causeOf);
	if (collecting) {
		return collecting;
	}

	if (percentOf(cpuNs.vm) >= muchOfJvmPercent && cpuNs.vm >= muchOfJvmTimes * cpuNs.java) {
		return ofJvmThreads(threads.name[most], percentOf(cpuNs.vm), programPercent);
	}

	const jitTimes = (vitals.uptimeMs ?? warmUpMs) < warmUpMs ? muchOfWarmUpTimes : muchOfJitTimes;
	return percentOf(cpuNs.jit) >= muchOfJitPercent && cpuNs.jit >= jitTimes * cpuNs.java
		? jitFinding(snapshot, since, {jitPercent: percentOf(cpuNs.jit), programPercent})
		: undefined;
}

/** Returns the CPU time of threads by kind, and of collectors; `most`: the `vm` thread that used most, or -1. */
function cpuByKind(snapshot: Snapshot, since: Snapshot | undefined) {
	const {threads} = snapshot;
	const cpuNs = {java: 0, jit: 0, vm: 0, collectors: 0};
	let most = -1;
	for (let thread = 0; thread < threads.count; thread++) {
		const used = threadCpuNs(snapshot, since, thread);
		const kind = threadKind(threads.flags[thread]);
		cpuNs[kind] += used;
		cpuNs.collectors += kind === 'vm' && isCollector(threads.name[thread]) ? used : 0;
		most = kind === 'vm' && (most < 0 || used > threadCpuNs(snapshot, since, most)) ? thread : most;
	}

	return {cpuNs, most};
}

/** `thread`: the one of the JVM's own, or of native code, that uses most. */
function ofJvmThreads(thread: Printable, jvmPercent: number, programPercent: number): Finding {
	const who = workOf(thread) === jvmWork.native ? 'Native threads and the JVM itself use' : 'The JVM itself uses';
	return {
		id: 'jvm',
		text: safe`${who} ${jvmPercent}% CPU, the program ${programPercent}%: most in ${thread}. Threads shows them all.`,
		figures: {jvmPercent, programPercent, thread},
	};
}

/** HotSpot's names of causes of collections that code of the program makes, and the methods that do it. */
const causes = [
	{
		cause: /^System\.gc\(\)$/,
		text: 'Calls of System.gc() stop the program',
		methods: /^java\.lang\.(?:Runtime|System)\.gc$/,
	},
	{
		cause: /^Metadata GC /,
		text: 'Loading classes makes the JVM collect, which stops the program',
		methods: /^java\.lang\.(?:ClassLoader|invoke\.MethodHandles\$Lookup)\.define/,
	},
] as const;

/** Returns what the program does to have garbage collected, and its line that most often did it in the window. */
function causeInProgram(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	gcCause: string,
): CollectionCause | undefined {
	const known = causes.find(({cause}) => cause.test(gcCause));
	if (!known) {
		return undefined;
	}

	const {dictionary} = snapshot;
	const isCall = ({className, method}: Location) => known.methods.test(`${className}.${method}`);
	const ticks = new Map<number, number>();
	const counters = countersInWindow(snapshot, since, scopeOf(snapshot, query));
	for (let counter = 0; counter < counters.count; counter++) {
		ticks.set(counters.node[counter], counters.ticks[counter] + (ticks.get(counters.node[counter]) ?? 0));
	}

	const calls = new Map([...ticks].filter(([node]) => framesOf(dictionary, node).some(frame => isCall(frame))));
	const [node] = mostOf(calls) ?? [];
	const at = node === undefined ? undefined : appLine(dictionary, node, query)?.at;
	return {text: safe`${known.text}`, at};
}

const minNamedMethodPercent = 25;

function jitFinding(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	figures: {readonly jitPercent: number; readonly programPercent: number},
): Finding {
	const {rows} = countedLines(snapshot, since, defaultQuery, scopeOf(snapshot, defaultQuery));
	const [most] = rows.filter(({className, method}) => className === jvmWork.jit && method.includes(' ')).sort((
		a,
		b,
	) => b.selfCpuNs - a.selfCpuNs);
	if (!most || most.selfPercent < minNamedMethodPercent) {
		return {
			id: 'jit',
			text:
				safe`The JIT compiler uses ${figures.jitPercent}% CPU, the program ${
					figures.programPercent
				}%: its code is still being compiled.`,
			figures,
		};
	}

	const [compiler, method] = [most.method.split(' ', 1)[0], most.method.slice(most.method.lastIndexOf(' ') + 1)];
	return {
		id: 'jit',
		text: safe`${compiler} compiles ${method}: ${Math.round(most.selfPercent)}% of the CPU time.`,
		figures: {...figures, method, methodPercent: decimals(most.selfPercent, 1)},
		error: decimals(most.errorPercent, 1),
	};
}

/** What the program does that makes the JVM collect garbage, and where. */
type CollectionCause = {readonly text: Printable; readonly at?: Location};

/** Returns the figures of recent collections; of files without them, those since the reading before. */
function recentOf(vitals: TargetVitals): Pick<TargetVitals, 'cpuPercent' | 'gcPercent' | 'gcCause'> {
	const {recentCpuPercent, recentGcPercent, recentGcCause} = vitals;
	return recentGcPercent === undefined
		? vitals
		: {cpuPercent: recentCpuPercent, gcPercent: recentGcPercent, gcCause: recentGcCause};
}

/** Whether what is in use leaves so little that collections do not free enough. */
function isHeapFull(
	{heapUsedBytes = 0, heapMaxBytes}: TargetVitals,
	{pausedPercent, stoppedPercent}: {readonly pausedPercent: number; readonly stoppedPercent: number},
): boolean {
	const fullness = heapMaxBytes ? 100 * heapUsedBytes / heapMaxBytes : 0;
	return fullness >= overfullPercent || (fullness >= fullPercent && pausedPercent >= collectingPercent)
		|| (fullness >= nearlyFullPercent && stoppedPercent >= mostlyPausedPercent);
}

function inUseText(usedBytes: number | undefined, capacityBytes: number | undefined): Printable {
	return usedBytes && capacityBytes
		? safe`: ${formatBytes(usedBytes)} of ${formatBytes(capacityBytes)} in use (${
			Math.round(100 * usedBytes / capacityBytes)
		}%)`
		: safe``;
}

/** Returns figures of pauses with what is missing; `pausedPercent`: without those that only lacked a CPU. */
function pausesOf({gcPercent = 0, cpuPercent = gcPercent, gcCause = safe``}: TargetVitals) {
	const lackedCpu = cpuPercent < leastWorkInPauses * gcPercent;
	return {stoppedPercent: gcPercent, gcCause, lackedCpu, pausedPercent: lackedCpu ? 0 : gcPercent};
}

/** Returns the pauses to show, recent ones if there are many, and what the program does that causes them. */
function pausesToShow(vitals: TargetVitals, causeOf: (gcCause: string) => CollectionCause | undefined): {
	readonly recent: ReturnType<typeof pausesOf>;
	readonly shown: ReturnType<typeof pausesOf>;
	readonly isMuch: boolean;
	readonly cause: CollectionCause | undefined;
} {
	const recent = pausesOf(recentOf(vitals));
	const {minuteCpuPercent: cpuPercent, minuteGcPercent: gcPercent, minuteGcCause: gcCause} = vitals;
	const minute = pausesOf({cpuPercent, gcPercent, gcCause});
	// What the program does itself is a finding even if the collections took long for want of a CPU.
	const ofMinute = minute.stoppedPercent >= muchCausedPercent ? causeOf(minute.gcCause) : undefined;
	const isMuchRecent = recent.stoppedPercent >= muchPausedPercent;
	const isMuchOfMinute = minute.pausedPercent >= muchOfMinutePercent;
	return {
		recent,
		shown: !isMuchRecent && (isMuchOfMinute || ofMinute) ? minute : recent,
		isMuch: recent.pausedPercent >= muchPausedPercent || isMuchOfMinute,
		cause: ofMinute ?? (isMuchRecent ? causeOf(recent.gcCause) : undefined),
	};
}

// eslint-disable-next-line complexity -- Figures and parts of a sentence, each of which may be missing.
function collectingFinding(
	collectorsPercent: number,
	programPercent: number,
	vitals: TargetVitals,
	causeOf: (gcCause: string) => CollectionCause | undefined,
): Finding | undefined {
	const {heapUsedBytes, heapMaxBytes, heapCapacityBytes = heapMaxBytes} = vitals;
	const {recent, shown, isMuch, cause: known} = pausesToShow(vitals, causeOf);
	const isFull = isHeapFull(vitals, recent);
	const {stoppedPercent, lackedCpu, gcCause} = isFull ? recent : shown;
	const cause = isFull ? undefined : known;
	const isMuchCpu = collectorsPercent >= muchOfCollectorsPercent && collectorsPercent >= programPercent;
	const isCollecting = isMuch || isMuchCpu;
	if (!isFull && !isCollecting && !cause) {
		return undefined;
	}

	const stopped = safe`${Math.round(stoppedPercent)}% of the time${lackedCpu ? ', mostly as they lack CPU' : ''}`;
	const isConcurrent = recentOf(vitals).gcPercent !== undefined && stoppedPercent < 1;
	const collecting = safe`The JVM is collecting garbage${isConcurrent ? ' concurrently' : ''}`;
	const causeText = cause
		&& safe`${cause.text} ${stopped}${cause.at ? safe`, at ${shortName(cause.at, maxLocationCells)}` : ''}`;
	const text = safe`${causeText ?? joined([
		isFull ? safe`The heap is full` : collecting,
		inUseText(heapUsedBytes, heapCapacityBytes),
		stoppedPercent >= 1 ? safe`; the program stands still for collections ${stopped}` : safe``,
		collectorsPercent > 0 ? safe`; collectors use ${collectorsPercent}% CPU, the program ${programPercent}%` : safe``,
	], safe``).replace(/^([^:;]*);/, safe`$1:`)}${'.'}`;
	return {
		id: isFull ? 'heap' : 'gc', text, ...(isFull ? {isAtLimit: true} : {}), figures: {
			...(heapUsedBytes && heapCapacityBytes ? {heapUsedBytes, heapCapacityBytes} : {}),
			pausedPercent: decimals(stoppedPercent, 1), collectorsPercent, programPercent,
			...(gcCause === '' ? {} : {cause: gcCause}), ...(cause?.at ? {at: locationNameOrEmpty(cause.at)} : {}),
		},
	};
}
