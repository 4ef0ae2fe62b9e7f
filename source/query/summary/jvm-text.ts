import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {formatBytes} from '../columns/format.js';
import {isCollector, threadKind} from '../counters/thread-kind.js';
import {corePercent, sampledMs, threadCpuNs} from '../counters/cpu-time.js';

/** CPU that is worth a word, in percent of a core: of the JVM's own threads, and so many times what the program uses. */
const muchOfJvmPercent = 50;
const muchOfJvmTimes = 2;

/** The same of collectors alone, and of compilers, which are seldom worth that much. */
const muchOfCollectorsPercent = 20;
const muchOfJitPercent = 20;
const muchOfJitTimes = 0.5;

/** Pauses of collections that are worth a word, in percent of the time. */
const muchPausedPercent = 20;

/**
While it stops the program, a collection keeps a CPU busy at least. Where the whole process used less than this part of
the pauses, these waited for a CPU instead.
*/
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
