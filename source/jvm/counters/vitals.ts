import type {TargetVitals} from '../../model/snapshot.js';
import {OpenStat} from '../system/proc.js';
import type {Target} from '../target.js';
import {cpuPercent} from './cpu-shares.js';
import {heapNames, heapOf} from './heap.js';
import {openPerfData} from './hsperfdata-file.js';
import {
	numberCounter, type PerfCounters, PerfNumbers, sumOf,
} from './hsperfdata.js';

/** Readings of one target for the header. */
export type VitalsReader = {
	/**
	What is known now; shares refer to the time since the previous reading, and are absent from the first one. Never
	throws.
	*/
	read(): TargetVitals;
	close(): void;
};

type Reading = {readonly atMs: number; readonly cpuTicks: number; readonly gcSeconds?: number};

/**
Opens the target's vitals: CPU time from /proc, heap and collections from the JVM's own counters (as of its last
collection), without attaching.
*/
export function openVitals(target: Target): VitalsReader {
	const file = openPerfData(target);
	const numbers = new PerfNumbers(new RegExp([heapNames, collectorTimes, clockRate].map(({source}) => source).join('|')));
	const open = openStat(target.pid);
	let previous: Reading | undefined;
	return {
		read() {
			const stat = open?.read();
			if (stat?.startTicks !== target.startTicks) {
				return {};
			}

			const counters = file?.read(numbers);
			const now: Reading = {atMs: performance.now(), cpuTicks: stat.userTicks + stat.systemTicks, gcSeconds: gcSecondsOf(counters)};
			const before = previous;
			previous = now;
			const {heapUsedBytes, heapCapacityBytes, heapMaxBytes} = heapOf(counters);
			const {cpuPercent, gcPercent} = before ? sharesOf(before, now) : {};
			// Kept by the thousand (query/past): of one shape, V8 has one description of all of them.
			return {
				cpuPercent,
				heapUsedBytes,
				heapCapacityBytes,
				heapMaxBytes,
				gcPercent,
				isStopped: stat.state === 'T',
				uptimeMs: target.facts.startedAtMs > 0 ? Math.max(0, Date.now() - target.facts.startedAtMs) : undefined,
			};
		},
		close() {
			file?.close();
			open?.close();
		},
	};
}

/** Undefined where it cannot be opened. */
function openStat(pid: number): OpenStat | undefined {
	try {
		return new OpenStat(pid);
	} catch {
		return undefined;
	}
}

function sharesOf(before: Reading, now: Reading): Pick<TargetVitals, 'cpuPercent' | 'gcPercent'> {
	const seconds = (now.atMs - before.atMs) / 1000;
	if (seconds <= 0) {
		return {};
	}

	return {
		cpuPercent: cpuPercent(before, now),
		gcPercent: now.gcSeconds === undefined || before.gcSeconds === undefined ? undefined : Math.min(100, Math.max(0, 100 * (now.gcSeconds - before.gcSeconds) / seconds)),
	};
}

const clockRate = /^sun\.os\.hrt\.frequency$/;
const collectorTimes = /^sun\.gc\.collector\.\d+\.time$/;

/**
Seconds of stop-the-world collection since the start: every collector's counter counts its pauses, in ticks of the JVM's
own clock.
*/
function gcSecondsOf(counters: PerfCounters | undefined): number | undefined {
	const frequency = numberCounter(counters, 'sun.os.hrt.frequency');
	const ticks = sumOf(counters, collectorTimes);
	return frequency === undefined || frequency <= 0 || ticks === undefined ? undefined : ticks / frequency;
}
