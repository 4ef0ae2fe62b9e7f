import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {formatBytes} from '../columns/format.js';
import {isCollector, threadKind} from '../facts/thread-kind.js';
import {corePercent, sampledMs, threadCpuNs} from '../summary.js';

/** CPU that is worth a word, in percent of a core: of the JVM's own threads, and so many times what the program uses. */
const muchOfJvmPercent = 50;
const muchOfJvmTimes = 2;

/** The same of collectors alone, which are seldom worth that much. */
const muchOfCollectorsPercent = 20;

/** Pauses of collections that are worth a word, in percent of the time. */
const muchPausedPercent = 20;

/** A heap that is so full, in percent of what it may grow to, is; one that is fuller by itself, without collections. */
const fullPercent = 90;
const overfullPercent = 97;
const collectingPercent = 5;

/** A shorter window may be one collection, milliseconds. */
const leastMs = 300;

/** CPU times of the JVM's threads are read once a second. */
const sureMs = 1000;

/** What the JVM itself is at: it collects garbage most of the time, the heap is full, or else where it uses the CPU. */
export function jvmText(snapshot: Snapshot, baseline: Snapshot | undefined, vitals: TargetVitals = {}): string | undefined {
	const {threads} = snapshot;
	const overMs = sampledMs(snapshot, baseline);
	if (overMs < leastMs) {
		return undefined;
	}

	const cpuNs = {java: 0, jit: 0, vm: 0, collectors: 0};
	let most = -1;
	for (let thread = 0; thread < threads.count; thread++) {
		const used = threadCpuNs(snapshot, baseline, thread);
		const kind = threadKind(threads.flags[thread]);
		cpuNs[kind] += used;
		cpuNs.collectors += kind === 'vm' && isCollector(threads.name[thread]) ? used : 0;
		most = kind === 'vm' && (most < 0 || used > threadCpuNs(snapshot, baseline, most)) ? thread : most;
	}

	const percentOf = (ns: number) => Math.round(corePercent(ns, overMs));
	const collecting = collectingText(overMs < sureMs ? 0 : percentOf(cpuNs.collectors), percentOf(cpuNs.java), vitals);
	return collecting ?? (percentOf(cpuNs.vm) >= muchOfJvmPercent && cpuNs.vm >= muchOfJvmTimes * cpuNs.java
		? `The JVM itself uses ${percentOf(cpuNs.vm)}% CPU, the program ${percentOf(cpuNs.java)}%: most in ${threads.name[most]}. Threads shows them all.`
		: undefined);
}

function collectingText(collectorsPercent: number, javaPercent: number, {heapUsedBytes, heapMaxBytes, gcPercent = 0}: TargetVitals): string | undefined {
	const fullness = heapUsedBytes && heapMaxBytes ? 100 * heapUsedBytes / heapMaxBytes : 0;
	const isFull = fullness >= overfullPercent || (fullness >= fullPercent && gcPercent >= collectingPercent);
	const isCollecting = gcPercent >= muchPausedPercent || (collectorsPercent >= muchOfCollectorsPercent && collectorsPercent >= javaPercent);
	if (!isFull && !isCollecting) {
		return undefined;
	}

	return [
		isFull ? 'The heap is full' : 'The JVM is collecting garbage',
		heapUsedBytes && heapMaxBytes ? `: ${formatBytes(heapUsedBytes)} of ${formatBytes(heapMaxBytes)} in use (${Math.round(fullness)}%)` : '',
		gcPercent >= 1 ? `; the program stands still for collections ${Math.round(gcPercent)}% of the time` : '',
		collectorsPercent > 0 ? `; collectors use ${collectorsPercent}% CPU, the program ${javaPercent}%` : '',
	].join('').replace(/^([^:;]*);/, '$1:') + '.';
}
