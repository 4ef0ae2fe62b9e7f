import {memoryEngine} from '../../source/engines/memory/memory-engine.js';
import type {Engine, TimerId} from '../../source/engines/common/engine.js';
import type {Sample} from '../../source/model/sample.js';

/** Calls back for each stack of a sample that CPU time counts at, after the sampler's account of it. */
export function eachAttributed(sample: Sample, take: (row: number, frames: Int32Array, ns: number) => void): void {
	const {attributedCpu, frames} = sample;
	for (let credit = 0; credit < attributedCpu.count; credit++) {
		const start = attributedCpu.stackStart[credit];
		take(
			attributedCpu.row[credit],
			frames.subarray(start, start + attributedCpu.stackLength[credit]),
			attributedCpu.cpuNs[credit],
		);
	}
}

/** The memory engine with one of its timers; `name` says so. */
export function memoryWith(timer: TimerId, threadEvents = false): Engine & {readonly name: string} {
	return {
		...memoryEngine, name: `memory (${timer}${threadEvents ? ', events on threads' : ''})`,
		async open(target, options, interner) {
			return memoryEngine.open(target, {...options, timer, threadEvents}, interner);
		},
	};
}
