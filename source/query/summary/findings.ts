import {isCollector} from '../../model/jvm-stacks.js';
import {madeOnce} from '../../model/made-once.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {stateSets} from '../filter/state-sets.js';
import {circleText, deadlocksOf} from '../locks/deadlocks.js';
import type {SummaryOptions, Query, Location} from '../types/query.js';
import {stuckInWords, formatBytes} from '../columns/format.js';
import {
	lockName, nameWith, shortName, viaText,
} from '../columns/names.js';
import {viaLocation} from '../counters/attribution.js';
import {ownCode} from '../counters/own-code.js';
import {locationKey} from '../counters/location.js';
import {membersOf, membersOfAll} from '../counters/members.js';
import {isCounted, scopeOf} from '../counters/scope.js';
import {attributedLocation, isStuckLonger, stuckMs, isContendingNow} from '../locks/newest-sample.js';
import {mostOf} from '../locks/contention-by-location.js';
import {threadKind} from '../counters/thread-kind.js';
import {corePercent, sampledMs, threadCpuNs} from '../counters/cpu-time.js';
import {summaryQuery} from './quiet.js';

/** Something about the program that matters more than any row, in a sentence. */
export type Finding = {
	readonly text: string;
	/** It does not pass by itself. */
	readonly isAlarm?: true;
};

/** What is wrong with the program in the window, the worst first. Of all threads, with any filter. */
export function findingsOf(snapshot: Snapshot, since: Snapshot | undefined, query: Query, known: Omit<SummaryOptions, 'showsWaits'> = {}): readonly Finding[] {
	const whole: Query = {
		...query, filter: '', threadKeys: undefined, ownFirst: true, states: stateSets[0].states, unit: 'cpu', summary: {...known, showsWaits: true},
	};
	const asked = summaryQuery(snapshot, since, whole);
	const waits = asked === whole ? contentionBesides(snapshot, whole) : waitsText(snapshot, asked);
	const jvm = jvmText(snapshot, since, known.vitals);
	return [
		...deadlocksOf(snapshot).map((deadlock): Finding => ({text: `DEADLOCK: ${circleText(deadlock)}`, isAlarm: true})),
		...[waits, jvm].filter(text => text !== undefined).map(text => ({text})),
	];
}

/** Cells of a place in a sentence. */
const locationRoom = 60;

/** Who is blocked by whom, or how many wait together at an own line, while almost no CPU is used. */
export function waitsText(snapshot: Snapshot, query: Query): string | undefined {
	const all = threadsOf(snapshot, query);
	const contending = all.filter(thread => isContendingNow(snapshot, thread));
	return contending.length === 0
		? togetherText(snapshot, query, all)
		: contentionText(snapshot, query, contending);
}

/** Blocked threads are reported beside threads that use CPU from this many on, or from one for this many milliseconds. */
const manyContending = 3;
const longContentionMs = 1000;

/** Threads that are held up where others use CPU, in a sentence; undefined where these are not worth one. */
export function contentionBesides(snapshot: Snapshot, query: Query): string | undefined {
	const contending = threadsOf(snapshot, query).filter(thread => isContendingNow(snapshot, thread));
	const isLong = contending.some(thread => stuckMs(snapshot, thread) >= longContentionMs);
	return membersOfAll(snapshot.threads, contending) >= manyContending || isLong ? contentionText(snapshot, query, contending) : undefined;
}

function threadsOf(snapshot: Snapshot, query: Query): number[] {
	const {threads} = snapshot;
	const scope = scopeOf(snapshot, query);
	const counted: number[] = [];
	for (let thread = 0; thread < threads.count; thread++) {
		if (threads.alive[thread] === 1 && isCounted(scope, thread)) {
			counted.push(thread);
		}
	}

	return counted;
}

function contentionText(snapshot: Snapshot, query: Query, contending: readonly number[]): string {
	const {threads, dictionary} = snapshot;
	const holders = new Map<number, number>();
	for (const thread of contending) {
		const owner = threads.lockOwner[thread];
		holders.set(owner, membersOf(threads, thread) + (holders.get(owner) ?? 0));
	}

	const [owner, count] = mostOf(holders)!;
	const locks = new Set(contending.filter(thread => threads.lockOwner[thread] === owner).map(thread => dictionary.strings[threads.lockClass[thread]]));
	const lock = locks.size === 1 ? lockName([...locks][0]) : '';
	const isOne = holders.size === 1 && lock !== '';
	const waiting = membersOfAll(threads, contending);
	const head = `${waiting} ${waiting === 1 ? 'thread waits' : 'threads wait'} for ${isOne ? lock : (waiting === 1 ? 'a lock' : 'locks')}${upTo(snapshot, contending)}`;
	const inCircles = deadlocksOf(snapshot).flat().length;
	if (inCircles > 0) {
		return `${head}: ${inCircles === waiting ? 'all' : inCircles} of them in a deadlock.`;
	}

	const what = isOne ? 'it' : `${lock === '' ? 'what' : `the ${lock} that`} ${holders.size === 1 ? 'they' : `${count} of them`} wait for`;
	if (owner < 0) {
		return `${head}: it is not known who has ${what}${query.summary?.canAskForHolders ? ' (L in Blockers asks the JVM)' : ''}.`;
	}

	const location = attributedLocation(snapshot, threads.node[owner], query);
	return `${head}: ${threads.name[owner]} has ${what}${location ? `, at ${shortName(location, locationRoom)}` : ''}.`;
}

/** Threads that stand at the same line of the program's own; undefined where there are no two. */
function togetherText(snapshot: Snapshot, query: Query, all: readonly number[]): string | undefined {
	const {isOwn} = ownCode(query.app);
	const {threads} = snapshot;
	const locations = new Map<string, {readonly location: Location; readonly threads: number[]}>();
	for (const thread of all) {
		const location = attributedLocation(snapshot, threads.node[thread], query);
		if (location && isOwn(location.className)) {
			madeOnce(locations, locationKey(location, 'line'), () => ({location, threads: [] as number[]})).threads.push(thread);
		}
	}

	const [most, count = 0] = mostOf(new Map(Array.from(locations.values(), at => [at, membersOfAll(threads, at.threads)] as const))) ?? [];
	if (!most || count < 2) {
		return undefined;
	}

	const via = viaLocation(snapshot.dictionary, threads.node[most.threads[0]], query);
	return `${count} threads wait together at ${nameWith(most.location, via ? [viaText(via)] : [], locationRoom)}${upTo(snapshot, most.threads)}.`;
}

/** For how long the longest of them has waited; nothing below a second. */
function upTo(snapshot: Snapshot, waiting: readonly number[]): string {
	const [first] = waiting.toSorted((a, b) => stuckMs(snapshot, b) - stuckMs(snapshot, a));
	const figures = {stuckMs: stuckMs(snapshot, first), stuckAtLeast: isStuckLonger(snapshot, first)};
	return figures.stuckMs < 1000 ? '' : `, ${figures.stuckAtLeast || waiting.length === 1 ? 'for' : 'up to'} ${stuckInWords(figures)}`;
}

/** CPU of the JVM's own threads is reported from this percentage of a core and this multiple of the program's on. */
const muchOfJvmPercent = 50;
const muchOfJvmTimes = 2;

/** The same of collectors alone, and of compilers, which are seldom worth that much. */
const muchOfCollectorsPercent = 20;
const muchOfJitPercent = 20;
const muchOfJitTimes = 0.5;

/** Pauses of collections that are worth a word, in percent of the time. */
const muchPausedPercent = 20;

/** Where the process used less than this part of the pauses, collections waited for a CPU. */
const leastWorkInPauses = 0.5;

/** A heap that is so full, in percent of what it may grow to, is; one that is fuller by itself, without collections. */
const fullPercent = 90;
const overfullPercent = 97;
const collectingPercent = 5;

/** A shorter window may be one collection, milliseconds. */
const leastMs = 300;

/** CPU times of the JVM's threads are read once a second. */
const sureMs = 1000;

/** What the JVM itself is at: it collects garbage most of the time, the heap is full, or else where it uses the CPU. */
export function jvmText(snapshot: Snapshot, since: Snapshot | undefined, vitals: TargetVitals = {}): string | undefined {
	const {threads} = snapshot;
	const overMs = sampledMs(snapshot, since);
	if (overMs < leastMs) {
		return undefined;
	}

	const cpuNs = {java: 0, jit: 0, vm: 0, collectors: 0};
	let most = -1;
	for (let thread = 0; thread < threads.count; thread++) {
		const used = threadCpuNs(snapshot, since, thread);
		const kind = threadKind(threads.flags[thread]);
		cpuNs[kind] += used;
		cpuNs.collectors += kind === 'vm' && isCollector(threads.name[thread]) ? used : 0;
		most = kind === 'vm' && (most < 0 || used > threadCpuNs(snapshot, since, most)) ? thread : most;
	}

	const percentOf = (ns: number) => Math.round(corePercent(ns, overMs));
	const collecting = collectingText(overMs < sureMs ? 0 : percentOf(cpuNs.collectors), percentOf(cpuNs.java), vitals);
	if (collecting !== undefined) {
		return collecting;
	}

	if (percentOf(cpuNs.vm) >= muchOfJvmPercent && cpuNs.vm >= muchOfJvmTimes * cpuNs.java) {
		return `The JVM itself uses ${percentOf(cpuNs.vm)}% CPU, the program ${percentOf(cpuNs.java)}%: most in ${threads.name[most]}. Threads shows them all.`;
	}

	return percentOf(cpuNs.jit) >= muchOfJitPercent && cpuNs.jit >= muchOfJitTimes * cpuNs.java
		? `The JIT compiler uses ${percentOf(cpuNs.jit)}% CPU, the program ${percentOf(cpuNs.java)}%: its code is still being compiled.`
		: undefined;
}

function collectingText(collectorsPercent: number, javaPercent: number, {heapUsedBytes, heapMaxBytes, heapCapacityBytes = heapMaxBytes, gcPercent = 0, cpuPercent = gcPercent}: TargetVitals): string | undefined {
	const pausedPercent = cpuPercent < leastWorkInPauses * gcPercent ? 0 : gcPercent;
	const fullness = heapUsedBytes && heapMaxBytes ? 100 * heapUsedBytes / heapMaxBytes : 0;
	const isFull = fullness >= overfullPercent || (fullness >= fullPercent && pausedPercent >= collectingPercent);
	const isCollecting = pausedPercent >= muchPausedPercent || (collectorsPercent >= muchOfCollectorsPercent && collectorsPercent >= javaPercent);
	if (!isFull && !isCollecting) {
		return undefined;
	}

	return [
		isFull ? 'The heap is full' : 'The JVM is collecting garbage',
		heapUsedBytes && heapCapacityBytes ? `: ${formatBytes(heapUsedBytes)} of ${formatBytes(heapCapacityBytes)} in use (${Math.round(100 * heapUsedBytes / heapCapacityBytes)}%)` : '',
		pausedPercent >= 1 ? `; the program stands still for collections ${Math.round(pausedPercent)}% of the time` : '',
		collectorsPercent > 0 ? `; collectors use ${collectorsPercent}% CPU, the program ${javaPercent}%` : '',
	].join('').replace(/^([^:;]*);/, '$1:') + '.';
}
