import {memoryEngine} from '../../source/engines/memory/engine.js';
import type {Engine, TimerId} from '../../source/engines/engine.js';
import type {Sample} from '../../source/model/sample.js';

/** Calls back for each stack of a sample that CPU time counts at, after the sampler has placed it. */
export function eachPlaced(sample: Sample, take: (row: number, frames: Int32Array, ns: number, isCredit: boolean) => void): void {
	const {credits, frames} = sample;
	for (let row = 0; row < sample.count; row++) {
		take(row, frames.subarray(sample.stackStart[row], sample.stackStart[row] + sample.stackLength[row]), sample.placedCpuNs[row], false);
	}

	for (let credit = 0; credit < credits.count; credit++) {
		const start = credits.stackStart[credit];
		take(credits.row[credit], frames.subarray(start, start + credits.stackLength[credit]), credits.cpuNs[credit], true);
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
