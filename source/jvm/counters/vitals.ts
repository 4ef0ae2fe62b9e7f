import {cpus, loadavg} from 'node:os';
import type {TargetVitals} from '../../model/snapshot.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {Growth, overMinute, overMinutes} from '../../util/growth.js';
import {mostOf} from '../../util/sum.js';
import {printable, safe, type Printable} from '../../util/printable.js';
import {isFrozen} from '../system/cgroups.js';
import {type ProcessStat, readStat} from '../system/proc.js';
import type {Target} from '../target.js';
import {percentBetween} from './cpu-history.js';
import {CpuLimits, cpuPressure, hostCpuTicks} from './cpu-limits.js';
import {HeapAfterCollections} from './heap-after-collections.js';
import {readMaxMetaspace} from './jvm-flags.js';
import {ProcessLimits} from './process-limits.js';
import {
	classesOf,
	edenOf, heapOf, metaspaceOf, numberCounter, openPerfData, stringCounter, sumOfCounters,
	type Eden, type PerfCounters,
} from './hsperfdata.js';

export type VitalsReader = {
	/** Returns the current vitals; shares refer to the time since the previous reading. Never throws. */
	read(): TargetVitals;
	close(): void;
};

/** Cumulative figures; absent if the JVM has no such counter. */
type Reading = {
	readonly atMs: number;
	readonly cpuTicks: number;
	/** Of all processes of the host. */
	readonly hostCpuTicks?: number;
	readonly gcSeconds?: number;
	readonly collections?: number;
	/** Of the old generation, or the pauses of its concurrent ones. */
	readonly oldCollections?: number;
	/** Without the time until all threads have stopped, from the release on that counts it apart. */
	readonly atSafepointSeconds?: number;
	readonly safepointSeconds?: number;
	readonly compilations?: number;
	readonly classLoads?: number;
	readonly eden?: Eden;
};

/**
Opens the target's vitals without attaching: CPU time from /proc; heap, allocation and collections from the JVM's own
counters, most of which it updates at a collection.
*/
export function openVitals(target: Target): VitalsReader {
	const file = openPerfData(target);
	const hostCpus = cpus().length;
	let previous: Reading | undefined;
	const allocation = new AllocationRate();
	const recentCollections = new RecentCollections();
	const heapAfterCollections = new HeapAfterCollections();
	const growths = new Growths();
	const cpuLimits = new CpuLimits(target.pid);
	const processLimits = new ProcessLimits(target.pid);
	const metaspaceMaxBytes = readMaxMetaspace(target);
	const safepointTimes = target.jdk >= firstWithTimeToReachApart ? safepointAndReachTimes : safepointTime;
	return {
		read() {
			const stat = readStat(target.pid);
			if (stat?.startTicks !== target.startTicks) {
				return {};
			}

			const counters = file?.read();
			const now = readingOf(stat, counters, safepointTimes);
			const before = previous;
			previous = now;
			const {heapUsedBytes, heapCapacityBytes, heapMaxBytes, ...generations} = heapOf(counters);
			const limited = {threadCount: stat.threads, ...metaspaceOf(counters), ...processLimits.read()};
			return {
				...(before ? sharesOf(before, now) : {}),
				heapUsedBytes,
				heapCapacityBytes,
				heapMaxBytes,
				...generations,
				gcCause: gcCauseOf(counters),
				...recentCollections.with(now, gcCauseOf(counters)),
				...heapAfterCollections.with(now, heapUsedBytes),
				allocBytesPerS: before ? allocation.since(before, now) : undefined,
				isStopped: stat.state === 'T',
				isFrozen: isFrozen(target.pid),
				hostCpus,
				hostLoad: loadavg()[0],
				throttledPercent: cpuLimits.read(),
				cpuLimitPercent: cpuLimits.limitPercent(),
				cpuPressurePercent: cpuPressure(),
				uptimeMs: target.facts.startedAtMs > 0 ? Math.max(0, Date.now() - target.facts.startedAtMs) : undefined,
				metaspaceMaxBytes,
				...limited,
				...growths.with(now.atMs, limited),
				threadsBefore: growths.highestUntil('threadSteadyGrowthPerMin', now.atMs - overMinute.windowMs),
			};
		},
		close() {
			file?.close();
		},
	};
}

function readingOf(
	{userTicks, systemTicks}: ProcessStat,
	counters: PerfCounters | undefined,
	safepointTimes: RegExp,
): Reading {
	return {
		atMs: performance.now(),
		cpuTicks: userTicks + systemTicks,
		hostCpuTicks: hostCpuTicks(),
		gcSeconds: secondsOf(counters, collectorTimes),
		collections: sumOfCounters(counters, collectorInvocations),
		oldCollections: sumOfCounters(counters, oldCollectorInvocations),
		atSafepointSeconds: secondsOf(counters, safepointTime),
		safepointSeconds: secondsOf(counters, safepointTimes),
		compilations: numberCounter(counters, 'sun.ci.totalCompiles'),
		classLoads: classesOf(counters).ever,
		eden: edenOf(counters),
	};
}

function sharesOf(
	before: Reading,
	now: Reading,
): Pick<
		TargetVitals,
	'classLoadsPerS' | 'collections' | 'compilationsPerS' | 'cpuPercent' | 'gcPercent' | 'safepointPercent'
	> {
	const seconds = (now.atMs - before.atMs) / 1000;
	if (seconds <= 0) {
		return {};
	}

	const perS = (name: 'gcSeconds' | 'atSafepointSeconds' | 'safepointSeconds' | 'compilations' | 'classLoads') => {
		const [from, to] = [before[name], now[name]];
		return from === undefined || to === undefined ? undefined : Math.max(0, to - from) / seconds;
	};

	const percent = (share: number | undefined) => share === undefined ? undefined : Math.min(100, 100 * share);
	const collecting = perS('gcSeconds');
	// Shenandoah counts whole cycles, most of which the program runs through; pauses are at safepoints.
	const paused = collecting === undefined
		? undefined
		: Math.min(collecting, perS('atSafepointSeconds') ?? collecting);
	return {
		cpuPercent: percentBetween(before, now),
		gcPercent: percent(paused),
		safepointPercent: percent(perS('safepointSeconds')),
		compilationsPerS: perS('compilations'),
		classLoadsPerS: perS('classLoads'),
		collections: before.collections === undefined || now.collections === undefined
			? undefined
			: Math.max(0, now.collections - before.collections),
	};
}

/** The figures whose growth is told, and the figures that tell it: over the last minute, and over several minutes. */
const growing = {
	threadCount: ['threadGrowthPerMin', 'threadSteadyGrowthPerMin'],
	openFiles: ['openFilesGrowthPerMin', 'openFilesSteadyGrowthPerMin'],
	tasks: ['tasksGrowthPerMin'],
	metaspaceCommittedBytes: ['metaspaceGrowthBytesPerMin', 'metaspaceSteadyGrowthBytesPerMin'],
	classSpaceCommittedBytes: ['classSpaceGrowthBytesPerMin', 'classSpaceSteadyGrowthBytesPerMin'],
} as const satisfies Partial<Record<keyof TargetVitals, ReadonlyArray<keyof TargetVitals>>>;

const growthWindows = [overMinute, overMinutes];

type GrowingFigure = keyof typeof growing;
type ToldGrowth = (typeof growing)[GrowingFigure][number];

/** By how much figures grow that are read anew each time. */
class Growths {
	readonly #of = new Map<ToldGrowth, Growth>();

	/** Adds a reading. Figures that are unknown have no growth. */
	with(
		atMs: number,
		figures: Pick<TargetVitals, GrowingFigure>,
	): Pick<TargetVitals, ToldGrowth> {
		return Object.fromEntries(Object.entries(growing).flatMap(([figure, told]) => {
			const count = figures[figure as GrowingFigure];
			return count === undefined
				? []
				: told.map((name, index) =>
					[name, getOrCreate(this.#of, name, () => new Growth(growthWindows[index])).with(atMs, count)]);
		}));
	}

	/** Returns the highest of the readings up to a time whose growth is told by this figure. */
	highestUntil(name: ToldGrowth, ms: number): number | undefined {
		return this.#of.get(name)?.highestUntil(ms);
	}
}

/** Returns the CPU use of all other processes of the host, percent of a core; undefined if unknown. */
function othersBetween(before: Reading, now: Reading): number | undefined {
	const others = ({hostCpuTicks: ofHost = Number.NaN, cpuTicks, atMs}: Reading) =>
		({cpuTicks: ofHost - cpuTicks, atMs});
	const percent = percentBetween(others(before), others(now));
	return percent === undefined || Number.isNaN(percent) ? undefined : Math.max(0, percent);
}

/** A single second may have no collection of a program that mostly collects, or one of another cause. */
const recentMs = 5000;

/** What lies around a threshold is above it or below from one five seconds to the next, but not in a minute. */
const minuteMs = 60_000;
const minMinuteMs = 10_000;

/** A cause that was seen in fewer readings of a minute may be an accident. */
const minReadingsOfCause = 5;

type Collecting = Pick<TargetVitals, 'cpuPercent' | 'gcCause' | 'gcPercent' | 'othersCpuPercent'>;

/** CPU use, pauses and their main cause over at least the last five seconds, and over the last minute. */
class RecentCollections {
	readonly #recent = new CollectionsWithin(recentMs);
	readonly #minute = new CollectionsWithin(minuteMs);

	/** Adds a reading, with the cause of its last collection. Figures are undefined at the first. */
	with(now: Reading, cause: Printable | undefined): TargetVitals {
		const recent = this.#recent.with(now, cause);
		const minute = this.#minute.with(now, cause, minReadingsOfCause);
		return {
			othersCpuPercent: recent.othersCpuPercent,
			recentCpuPercent: recent.cpuPercent,
			recentGcPercent: recent.gcPercent,
			recentGcCause: recent.gcCause ?? cause,
			...(this.#minute.spanMs < minMinuteMs
				? {}
				: {
					minuteCpuPercent: minute.cpuPercent,
					minuteGcPercent: minute.gcPercent,
					minuteGcCause: minute.gcCause,
				}),
		};
	}
}

/** CPU use, pauses and their main cause over at least some time. */
class CollectionsWithin {
	readonly #withinMs: number;
	readonly #readings: Array<{readonly reading: Reading; readonly cause: Printable | undefined}> = [];

	constructor(withinMs: number) {
		this.#withinMs = withinMs;
	}

	get spanMs(): number {
		return (this.#readings.at(-1)?.reading.atMs ?? 0) - (this.#readings[0]?.reading.atMs ?? 0);
	}

	/** Adds a reading. The main cause is absent if it was that of fewer readings than `minReadings`. */
	with(now: Reading, cause: Printable | undefined, minReadings = 1): Collecting {
		this.#readings.push({reading: now, cause});
		while (this.#readings.length > 2 && now.atMs - this.#readings[1].reading.atMs >= this.#withinMs) {
			this.#readings.shift();
		}

		const before = this.#readings[0].reading;
		const {cpuPercent, gcPercent} = sharesOf(before, now);
		const gcCause = this.#mainCause(minReadings);
		return {cpuPercent, gcPercent, gcCause, othersCpuPercent: othersBetween(before, now)};
	}

	#mainCause(minReadings: number): Printable | undefined {
		const seconds = new Map<Printable, number>();
		const readings = new Map<Printable, number>();
		for (const [index, {reading, cause = safe``}] of this.#readings.entries()) {
			const {gcSeconds: before = 0} = this.#readings[Math.max(0, index - 1)].reading;
			const pausedS = (reading.gcSeconds ?? 0) - before;
			seconds.set(cause, (seconds.get(cause) ?? 0) + pausedS);
			readings.set(cause, (readings.get(cause) ?? 0) + (pausedS > 0 ? 1 : 0));
		}

		const [cause = safe``, most = 0] = mostOf(seconds) ?? [];
		return most > 0 && cause !== '' && readings.get(cause)! >= minReadings ? cause : undefined;
	}
}

/**
The rate is a mean over this time: from JDK 25 on, Serial and Parallel update eden's size only after a collection.
*/
const allocationMs = 10_000;

/** The program's allocation rate, from the filling of eden, without objects that are too large for eden. */
class AllocationRate {
	readonly #intervals: Array<{readonly ms: number; readonly bytes: number}> = [];

	/** Adds the time between two readings; returns bytes per second, undefined if no allocation was observed. */
	since(before: Reading, now: Reading): number | undefined {
		if (!before.eden || !now.eden) {
			return undefined;
		}

		const collections = now.eden.collections - before.eden.collections;
		const bytes = collections === 0
			? now.eden.usedBytes - before.eden.usedBytes
			: before.eden.capacityBytes - before.eden.usedBytes + ((collections - 1) * now.eden.capacityBytes)
				+ now.eden.usedBytes;
		this.#intervals.push({ms: now.atMs - before.atMs, bytes: Math.max(0, bytes)});
		while (this.#sum('ms') - this.#intervals[0].ms >= allocationMs) {
			this.#intervals.shift();
		}

		return 1000 * this.#sum('bytes') / this.#sum('ms') || undefined;
	}

	#sum(of: 'ms' | 'bytes'): number {
		return this.#intervals.reduce((sum, each) => sum + each[of], 0);
	}
}

const collectorTimes = /^sun\.gc\.collector\.\d+\.time$/;
const oldCollectorInvocations = /^sun\.gc\.collector\.[1-9]\d*\.invocations$/;
const collectorInvocations = /^sun\.gc\.collector\.\d+\.invocations$/;

/** From this release on, the time until all threads have reached a safepoint has a counter of its own. */
const firstWithTimeToReachApart = 13;
const safepointTime = /^sun\.rt\.safepointTime$/;
const safepointAndReachTimes = /^sun\.rt\.safepoint(?:Sync)?Time$/;

/** Returns the sum of counters of the JVM's clock ticks in seconds; undefined if there are none. */
function secondsOf(counters: PerfCounters | undefined, names: RegExp): number | undefined {
	const frequency = numberCounter(counters, 'sun.os.hrt.frequency');
	const ticks = sumOfCounters(counters, names);
	return frequency === undefined || frequency <= 0 || ticks === undefined ? undefined : ticks / frequency;
}

/** The cause while there is no collection, and before the first. */
const noCause = 'No GC';

function gcCauseOf(counters: PerfCounters | undefined): Printable | undefined {
	const cause = [stringCounter(counters, 'sun.gc.cause'), stringCounter(counters, 'sun.gc.lastCause')].find(text =>
		text !== '' && text !== noCause);
	return cause === undefined ? undefined : printable(cause);
}
