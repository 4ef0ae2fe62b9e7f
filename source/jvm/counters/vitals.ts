import {cpus, loadavg} from 'node:os';
import type {TargetVitals} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {readStat, ticksPerSecond} from '../system/proc.js';
import type {Target} from '../target.js';
import {CpuLimits, cpuPressure} from './cpu-limits.js';
import {
	edenOf, heapOf, numberCounter, type PerfCounters, stringCounter, sumOf, openPerfData, type Eden,
} from './hsperfdata.js';

/** Readings of one target for the header. */
type VitalsReader = {
	/** What is known now; shares refer to the time since the previous reading. Never throws. */
	read(): TargetVitals;
	close(): void;
};

/** What is counted since the start of the JVM; undefined where it has no such counter. */
type Reading = {
	readonly atMs: number;
	readonly cpuTicks: number;
	readonly gcSeconds?: number;
	readonly collections?: number;
	readonly safepointSeconds?: number;
	readonly compilations?: number;
	readonly eden?: Eden;
};

/**
Opens the target's vitals: CPU time from /proc, heap, allocation and collections from the JVM's own counters (as of its last
collection), without attaching.
*/
export function openVitals(target: Target): VitalsReader {
	const file = openPerfData(target);
	const hostCpus = cpus().length;
	let previous: Reading | undefined;
	const allocation = new AllocationRate();
	const heapAfterCollections = new HeapAfterCollections();
	const limits = new CpuLimits(target.pid);
	return {
		read() {
			const stat = readStat(target.pid);
			if (stat?.startTicks !== target.startTicks) {
				return {};
			}

			const counters = file?.read();
			const now: Reading = {
				atMs: performance.now(), cpuTicks: stat.userTicks + stat.systemTicks, gcSeconds: secondsOf(counters, collectorTimes), collections: sumOf(counters, collections), safepointSeconds: secondsOf(counters, safepointTime), compilations: numberCounter(counters, 'sun.ci.totalCompiles'), eden: edenOf(counters),
			};
			const before = previous;
			previous = now;
			const {heapUsedBytes, heapCapacityBytes, heapMaxBytes} = heapOf(counters);
			const {cpuPercent, gcPercent, safepointPercent, compilationsPerS} = before ? sharesOf(before, now) : {};
			const {heapAfterGcBytes, heapGrowthBytesPerMin} = heapAfterCollections.with(now, heapUsedBytes);
			// Kept by the thousand (query/past): of one shape, V8 has one description of all of them.
			return {
				cpuPercent,
				heapUsedBytes,
				heapCapacityBytes,
				heapMaxBytes,
				gcPercent,
				gcCause: gcCauseOf(counters),
				heapAfterGcBytes,
				heapGrowthBytesPerMin,
				safepointPercent,
				compilationsPerS,
				allocBytesPerS: before ? allocation.since(before, now) : undefined,
				isStopped: stat.state === 'T',
				hostCpus,
				hostLoad: loadavg()[0],
				throttledPercent: limits.read(),
				cpuPressurePercent: cpuPressure(),
				uptimeMs: target.facts.startedAtMs > 0 ? Math.max(0, Date.now() - target.facts.startedAtMs) : undefined,
			};
		},
		close() {
			file?.close();
		},
	};
}

function sharesOf(before: Reading, now: Reading): Pick<TargetVitals, 'cpuPercent' | 'gcPercent' | 'safepointPercent' | 'compilationsPerS'> {
	const seconds = (now.atMs - before.atMs) / 1000;
	if (seconds <= 0) {
		return {};
	}

	const perS = (name: 'gcSeconds' | 'safepointSeconds' | 'compilations') => {
		const [from, to] = [before[name], now[name]];
		return from === undefined || to === undefined ? undefined : Math.max(0, to - from) / seconds;
	};

	const share = (name: 'gcSeconds' | 'safepointSeconds') => {
		const part = perS(name);
		return part === undefined ? undefined : Math.min(100, 100 * part);
	};

	return {
		cpuPercent: cpuPercent(before, now), gcPercent: share('gcSeconds'), safepointPercent: share('safepointSeconds'), compilationsPerS: perS('compilations'),
	};
}

/** JDKs from 25 on say how full eden is only after a collection (Serial, Parallel): a rate is of this time, milliseconds. */
const allocationMs = 10_000;

/** What the program allocates a second, from how eden fills: without objects that are too large for it. */
class AllocationRate {
	readonly #lately: Array<{readonly ms: number; readonly bytes: number}> = [];

	/** With what was allocated between two readings; undefined where nothing is seen to be. */
	since(before: Reading, now: Reading): number | undefined {
		if (!before.eden || !now.eden) {
			return undefined;
		}

		const collections = now.eden.collections - before.eden.collections;
		const bytes = collections === 0
			? now.eden.usedBytes - before.eden.usedBytes
			: before.eden.capacityBytes - before.eden.usedBytes + ((collections - 1) * now.eden.capacityBytes) + now.eden.usedBytes;
		this.#lately.push({ms: now.atMs - before.atMs, bytes: Math.max(0, bytes)});
		while (this.#sum('ms') - this.#lately[0].ms >= allocationMs) {
			this.#lately.shift();
		}

		return 1000 * this.#sum('bytes') / this.#sum('ms') || undefined;
	}

	#sum(of: 'ms' | 'bytes'): number {
		return this.#lately.reduce((sum, each) => sum + each[of], 0);
	}
}

/** How far back collections say whether the heap grows, milliseconds; for how long, and how many, there must be. */
const growthMs = 60_000;
const leastGrowthMs = 20_000;
const leastCollections = 4;

/**
The heap in use after collections: what is not in eden, which these empty. It grows by as much as the least of the
younger half of a minute's collections is above the least of the older half: what only a large collection frees, as of
G1's mixed ones, counts as growth until then.
*/
class HeapAfterCollections {
	#lately: Array<{readonly ms: number; readonly bytes: number}> = [];
	#collections = 0;

	/** With a reading; nothing before the first collection, and for a collector without eden. */
	with({atMs: ms, collections = 0, eden}: Reading, heapUsedBytes: number | undefined): Pick<TargetVitals, 'heapAfterGcBytes' | 'heapGrowthBytesPerMin'> {
		if (eden && heapUsedBytes !== undefined && collections !== this.#collections) {
			this.#collections = collections;
			this.#lately = [...this.#lately.filter(each => ms - each.ms < growthMs), {ms, bytes: Math.max(0, heapUsedBytes - eden.usedBytes)}];
		}

		const last = this.#lately.at(-1);
		const [first] = this.#lately;
		if (!last || this.#lately.length < leastCollections || last.ms - first.ms < leastGrowthMs) {
			return {heapAfterGcBytes: last?.bytes};
		}

		const middleMs = (first.ms + last.ms) / 2;
		const [older, younger] = [this.#lately.filter(each => each.ms <= middleMs), this.#lately.filter(each => each.ms > middleMs)].map(half => Math.min(...half.map(({bytes}) => bytes)));
		return {heapAfterGcBytes: last.bytes, heapGrowthBytesPerMin: (younger - older) / (last.ms - middleMs) * 60_000};
	}
}

const collectorTimes = /^sun\.gc\.collector\.\d+\.time$/;
const collections = /^sun\.gc\.collector\.\d+\.invocations$/;
const safepointTime = /^sun\.rt\.safepointTime$/;

/** Seconds since the start of the JVM by counters of its clock; undefined without them. */
function secondsOf(counters: PerfCounters | undefined, names: RegExp): number | undefined {
	const frequency = numberCounter(counters, 'sun.os.hrt.frequency');
	const ticks = sumOf(counters, names);
	return frequency === undefined || frequency <= 0 || ticks === undefined ? undefined : ticks / frequency;
}

/** What the counters say while there is no collection, or was none. */
const noCause = 'No GC';

function gcCauseOf(counters: PerfCounters | undefined): string | undefined {
	const cause = [stringCounter(counters, 'sun.gc.cause'), stringCounter(counters, 'sun.gc.lastCause')].find(text => text !== '' && text !== noCause);
	return cause === undefined ? undefined : printable(cause);
}

/** CPU time that a process had used at a moment, in clock ticks; the moment by performance.now(). */
type CpuReading = {readonly cpuTicks: number; readonly atMs: number};

/** CPU time between two looks, percent of one core; undefined when they are of one moment. */
function cpuPercent(before: CpuReading, now: CpuReading): number | undefined {
	const seconds = (now.atMs - before.atMs) / 1000;
	return seconds > 0 ? Math.max(0, 100 * (now.cpuTicks - before.cpuTicks) / ticksPerSecond / seconds) : undefined;
}

/** The same with the process; its start tells it from another one that was given its id. */
type ProcessCpu = CpuReading & {readonly pid: number; readonly startTicks: number};

/** CPU shares of processes, each since it was last read. */
export class CpuShares {
	#last = new Map<number, ProcessCpu>();

	/** Percent of one core, by pid; none for a process that was not there before. */
	since(processes: readonly ProcessCpu[]): ReadonlyMap<number, number> {
		const shares = new Map<number, number>();
		for (const now of processes) {
			const before = this.#last.get(now.pid);
			const percent = before?.startTicks === now.startTicks ? cpuPercent(before, now) : undefined;
			if (percent !== undefined) {
				shares.set(now.pid, percent);
			}
		}

		this.#last = new Map(processes.map(looked => [looked.pid, looked]));
		return shares;
	}
}
