import process from 'node:process';
import {attempt, readText} from '../jvm/system/proc.js';
import {sumOf} from '../util/sum.js';

/**
How often we do what costs CPU time: the time from one sample to the next, and how many times rarer than usual running
threads are recorded and the screen is refreshed.
*/
type Pace = {readonly intervalMs: number; readonly recordEvery: number; readonly refreshEvery: number};

const measureEveryMs = 1000;

/** Prices are means of this many measurements, so that bursts count, such as those in which V8 compiles. */
const maxMeasurements = 20;

/**
Until when after the start we may use more than the budget, and how many times more: first our code is loaded, then V8
compiles it. Prices of one phase say nothing of the next.
*/
const phases = [{untilMs: 5000, factor: 10}, {untilMs: 30_000, factor: 4}];

/** In these phases records get at most this many times rarer: the first shares rest on few of them. */
const maxRecordEveryAtStart = 2;

/** Fraction of the budget that samples may always use, even if the screen uses the rest. */
const minFractionForSamples = 1 / 4;

/** Running threads are recorded as often as usual, or this many times more rarely. */
const recordSteps = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/**
If samples must get rarer, the screen is refreshed more rarely too: at most `maxRefreshEvery` times more rarely, until
refreshes use this fraction of the budget.
*/
const maxRefreshEvery = 3;
const fractionForScreen = 1 / 3;

/** Records get rarer until they use this fraction of what is allowed, unless samples and records fit as they are. */
const fractionForRecords = 1 / 2;

/** Before the interval gets longer than this, records get rarer still. */
const longIntervalMs = 100;

/** Records come more often again only if everything fits into this fraction of what is allowed. */
const marginForMoreRecords = 0.85;

/** The longest interval: this, or this many times the requested one if that is longer. */
const maxIntervalMs = 1000;
const maxIntervalFactor = 10;

/** The pace aims at this fraction of the budget; the rest is for prices that rise before the next measurement. */
const spentFraction = 0.95;

/** CPU time used so far by the sampling thread and by our whole process. */
type OwnCpu = {readonly samplerMs: number; readonly processMs: number};

/** Reads the CPU time of this thread (proc(5), schedstat) and our process; without schedstat, all is this thread's. */
export function ownCpu(): OwnCpu {
	const {user, system} = process.cpuUsage();
	const processMs = (user + system) / 1000;
	const schedstat = attempt(() => readText('/proc/thread-self/schedstat'), undefined);
	return {samplerMs: schedstat === undefined ? processMs : Number(schedstat.split(' ')[0]) / 1e6, processMs};
}

/** How long a sample took, and the records in it; and the interval to the next. */
type TakenSample = {readonly busyMs: number; readonly recordsMs: number; readonly intervalMs: number};

/**
What each part cost in one measurement: CPU time of a sample without its records; the share of a core that records would
use if they came as often as usual; and the share that our other threads, most of all the screen's, would use so.
*/
type Prices = {readonly sampleMs: number; readonly recordShare: number; readonly otherShare: number};

/**
Keeps our own CPU time below a share of a core. What our other threads (the screen) leave is for samples and for the
records of running threads. Each gets rarer by its own price: a longer interval makes samples cheaper, but not records,
which come by the CPU time that threads use.
*/
export class CpuBudget {
	readonly #share: number;
	readonly #requestedMs: number;
	#pace: Pace;
	#prices: readonly Prices[] = [];
	#firstMs: number | undefined;
	#phase = phases.at(0);
	#last: OwnCpu & {readonly atMs: number} | undefined;
	/** Time spent on samples since the last measurement. */
	#busyMs = 0;
	/** The part of it spent on records. */
	#recordsMs = 0;

	/** `percent`: of a core; 100 or more for no limit. */
	constructor(percent: number, requestedMs: number) {
		this.#share = percent / 100;
		this.#requestedMs = requestedMs;
		this.#pace = {intervalMs: requestedMs, recordEvery: 1, refreshEvery: 1};
	}

	get pace(): Pace {
		return this.#pace;
	}

	/** Counts a sample. Sets the pace if the last time was a second ago, since reading our CPU time is costly. */
	addSample(nowMs: number, sample: TakenSample, readCpu = ownCpu): void {
		this.#busyMs += sample.busyMs;
		this.#recordsMs += sample.recordsMs;
		if (this.#share >= 1 || nowMs - (this.#last?.atMs ?? -Infinity) < measureEveryMs) {
			return;
		}

		const cpu = readCpu();
		this.#firstMs ??= nowMs;
		const ageMs = nowMs - this.#firstMs;
		if (this.#phase && ageMs >= this.#phase.untilMs) {
			this.#phase = phases.find(({untilMs}) => ageMs < untilMs);
			this.#prices = [];
		}

		if (this.#last) {
			this.#measure(cpu, {...this.#last, elapsedMs: nowMs - this.#last.atMs, intervalMs: sample.intervalMs});
			const steps = this.#phase ? recordSteps.filter(step => step <= maxRecordEveryAtStart) : recordSteps;
			this.#pace = this.#affordable(spentFraction * this.#share * (this.#phase?.factor ?? 1), steps);
		}

		this.#last = {...cpu, atMs: nowMs};
		this.#busyMs = 0;
		this.#recordsMs = 0;
	}

	/** Call after a pause: the CPU time used in it does not count. */
	skipPause(): void {
		this.#last = undefined;
	}

	#measure(now: OwnCpu, last: OwnCpu & {readonly elapsedMs: number; readonly intervalMs: number}): void {
		const {elapsedMs, intervalMs} = last;
		const samplerMs = now.samplerMs - last.samplerMs;
		const processMs = now.processMs - last.processMs;
		const onRecordsMs = this.#busyMs > 0 ? samplerMs * Math.min(1, this.#recordsMs / this.#busyMs) : 0;
		this.#prices = [...this.#prices, {
			sampleMs: (samplerMs - onRecordsMs) / elapsedMs * intervalMs,
			recordShare: onRecordsMs / elapsedMs * this.#pace.recordEvery,
			otherShare: (processMs - samplerMs) / elapsedMs * this.#pace.refreshEvery,
		}].slice(-maxMeasurements);
	}

	/** Returns the pace at which everything together uses this share of a core. `steps`: of `recordSteps`. */
	#affordable(share: number, steps: readonly number[]): Pace {
		const otherShare = meanOf(this.#prices, 'otherShare');
		const full = this.#paceFor(share, otherShare, steps);
		if (full.intervalMs <= this.#requestedMs && full.recordEvery === 1) {
			return {...full, refreshEvery: 1};
		}

		const refreshEvery = Math.min(maxRefreshEvery, Math.max(1, otherShare / (share * fractionForScreen)));
		return {...this.#paceFor(share, otherShare / refreshEvery, steps), refreshEvery};
	}

	/** Returns how often samples and records may come if our other threads use `otherShare` of a core. */
	#paceFor(share: number, otherShare: number, steps: readonly number[]): Omit<Pace, 'refreshEvery'> {
		const allowed = Math.max(share - otherShare, share * minFractionForSamples);
		const sampleMs = meanOf(this.#prices, 'sampleMs');
		const recordShare = meanOf(this.#prices, 'recordShare');
		const longMs = Math.max(longIntervalMs, this.#requestedMs);
		for (const recordEvery of steps) {
			const ofAllowed = recordEvery < this.#pace.recordEvery ? allowed * marginForMoreRecords : allowed;
			const forSamples = ofAllowed - (recordShare / recordEvery);
			const intervalMs = forSamples > 0 ? sampleMs / forSamples : Infinity;
			const isEnough = intervalMs <= this.#requestedMs
				|| (intervalMs <= longMs && forSamples >= ofAllowed * (1 - fractionForRecords));
			if (isEnough || recordEvery === steps.at(-1)) {
				const longestMs = Math.max(maxIntervalMs, maxIntervalFactor * this.#requestedMs);
				return {intervalMs: Math.max(this.#requestedMs, Math.min(intervalMs, longestMs)), recordEvery};
			}
		}

		return this.#pace;
	}
}

function meanOf(prices: readonly Prices[], name: keyof Prices): number {
	return sumOf(prices, price => price[name]) / prices.length;
}
