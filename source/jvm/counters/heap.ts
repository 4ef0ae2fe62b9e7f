import type {TargetVitals} from '../../model/snapshot.js';
import {sumOf, type PerfCounters} from './hsperfdata.js';

/** Bytes over all spaces of all generations: the counters of the Java heap alone (metaspace has names of its own). */
export function heapOf(counters: PerfCounters | undefined): Pick<TargetVitals, 'heapUsedBytes' | 'heapCapacityBytes'> {
	const sum = (what: string) => sumOf(counters, new RegExp(`^sun\\.gc\\.generation\\.\\d+\\.space\\.\\d+\\.${what}$`));
	// They are 0, which no heap is, until they are first updated by a collection or (G1) a new region.
	const used = sum('used');
	return {heapUsedBytes: used === 0 ? undefined : used, heapCapacityBytes: sum('capacity')};
}
