import process from 'node:process';
import {attempt, readText} from '../jvm/system/proc.js';

/**
Time between readings of our CPU time, and number of readings kept. Of these, the median cost of a sample and the
minimum use of the other threads apply, because V8 compiles in bursts on threads of its own.
*/
const readEveryMs = 1000;
const readings = 9;

/** For this long after the start V8 compiles our code, and up to this share of a core may be used. */
const warmUpMs = 10_000;
const warmUpShare = 0.15;

/** Fraction of the budget that samples may always use, even if the screen uses the rest. */
const minForSamples = 1 / 4;

/** The longest interval; as a multiple of the requested one if that is longer. */
const maxIntervalMs = 1000;
const maxIntervalFactor = 10;

/** CPU time used so far by the sampling thread and by the whole process. */
type OwnCpu = {readonly samplerMs: number; readonly processMs: number};

/** Reads the CPU time of this thread (proc(5), schedstat) and the process; without schedstat, all is this thread's. */
export function ownCpu(): OwnCpu {
	const {user, system} = process.cpuUsage();
	const processMs = (user + system) / 1000;
	const schedstat = attempt(() => readText('/proc/thread-self/schedstat'), undefined);
	return {samplerMs: schedstat === undefined ? processMs : Number(schedstat.split(' ')[0]) / 1e6, processMs};
}

/**
Keeps our own CPU time below a share of a core by lengthening the interval. Samples may use what the rest of the process
(the screen) does not.
*/
export class CpuBudget {
	readonly #share: number;
	#firstMs: number | undefined;
	#last: OwnCpu & {readonly atMs: number} | undefined;
	/** One entry per reading: a sample's CPU milliseconds, and the share of a core used by the rest of the process. */
	readonly #costs: number[] = [];
	readonly #otherShares: number[] = [];
	#neededMs = 0;

	/** `percent`: of a core; 100 or more for no limit. */
	constructor(percent: number) {
		this.#share = percent / 100;
	}

	/** Reads the CPU time used until `nowMs` (monotonic), with the current interval; once a second, as that is costly. */
	record(nowMs: number, intervalMs: number, readCpu = ownCpu): void {
		if (this.#share >= 1 || nowMs - (this.#last?.atMs ?? -Infinity) < readEveryMs) {
			return;
		}

		const cpu = readCpu();
		this.#firstMs ??= nowMs;
		if (this.#last) {
			const overMs = nowMs - this.#last.atMs;
			const sampler = (cpu.samplerMs - this.#last.samplerMs) / overMs;
			push(this.#costs, sampler * intervalMs);
			push(this.#otherShares, ((cpu.processMs - this.#last.processMs) / overMs) - sampler);
			const share = nowMs - this.#firstMs < warmUpMs ? Math.max(this.#share, warmUpShare) : this.#share;
			this.#neededMs = median(this.#costs) / Math.max(share - Math.min(...this.#otherShares), share * minForSamples);
		}

		this.#last = {...cpu, atMs: nowMs};
	}

	restart(): void {
		this.#last = undefined;
	}

	/** Returns the interval to use, milliseconds; at least `requestedMs`. */
	intervalMs(requestedMs: number): number {
		return Math.max(requestedMs, Math.min(this.#neededMs, Math.max(maxIntervalMs, maxIntervalFactor * requestedMs)));
	}
}

function push(values: number[], value: number): void {
	values.push(value);
	if (values.length > readings) {
		values.shift();
	}
}

function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[values.length >> 1];
}
