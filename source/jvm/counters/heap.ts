import type {TargetVitals} from '../../model/snapshot.js';
import {numberCounter, sumOf, type PerfCounters} from './hsperfdata.js';

/** Nobody has generations that are as alike by chance. */
const sharedBytes = 1024;

const usedNames = /^sun\.gc\.generation\.\d+\.space\.\d+\.used$/;
const capacityNames = /^sun\.gc\.generation\.\d+\.space\.\d+\.capacity$/;

/** The counters that are asked for here. */
export const heapNames = /^sun\.gc\.generation\.\d+\.(?:space\.\d+\.(?:used|capacity)|maxCapacity)$/;

/** Bytes over all spaces of all generations: the counters of the Java heap alone (metaspace has names of its own). */
export function heapOf(counters: PerfCounters | undefined): Pick<TargetVitals, 'heapUsedBytes' | 'heapCapacityBytes' | 'heapMaxBytes'> {
	// They are 0, which no heap is, until they are first updated by a collection or (G1) a new region.
	const used = sumOf(counters, usedNames);
	return {heapUsedBytes: used === 0 ? undefined : used, heapCapacityBytes: sumOf(counters, capacityNames), heapMaxBytes: mostOf(counters)};
}

/** Collectors whose generations share the heap (G1, ZGC) give each all of it, but for some bytes; others its part. */
function mostOf(counters: PerfCounters | undefined): number | undefined {
	const [young, old] = [0, 1].map(generation => numberCounter(counters, `sun.gc.generation.${generation}.maxCapacity`));
	return young === undefined || old === undefined || Math.abs(young - old) < sharedBytes ? old ?? young : young + old;
}
