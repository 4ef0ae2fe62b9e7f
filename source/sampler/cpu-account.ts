import {getOrCreate} from '../util/get-or-create.js';
import type {JvmStacks} from '../model/jvm-stacks.js';
import {endedThreadsKey, endedThreadsName, threadFlag, type Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';

/**
With engines that only observe running threads, one observation attributes this fraction of the thread's pending CPU
time: so little that the attributed time hardly depends on when in its work the thread is observed. A thread's n-th
observation attributes 1/n of it, until that is less than this fraction.
*/
const attributedFraction = 1 / 16;

/**
Maximum pending CPU time of a thread, in sampling intervals; more is unattributed. So from the sixteenth on, an
observation counts for at most two intervals.
*/
const maxPendingIntervals = 32;

/** Weight of the newest interval in the running mean. */
const newestIntervalWeight = 1 / 8;

const forgetEverySamples = 50;

/** CPU time that a thread used and that is not yet attributed, and how often the thread was observed. */
type Pending = {ns: number; observations: number};

/**
Attributes the CPU time that the kernel reports for each thread to stacks. Time that the engine recorded stays at its
stacks; with engines that observe threads, pending time counts where the thread is observed. Time of a thread without
Java frames counts as the thread's purpose. The rest is (unattributed): below 0 if more was recorded than used, which
averages out.
*/
export class CpuAccount {
	readonly #unattributed: Int32Array;
	readonly #jvmStacks: JvmStacks;
	readonly #pendingByKey = new Map<number, Pending>();
	/** By key of a thread: CPU time of samples that were not counted. */
	readonly #uncountedNs = new Map<number, number>();
	#balanceNs = new Float64Array(256);
	#meanIntervalNs = 0;
	#samples = 0;

	/** `unattributedFrame`: id of the frame for unattributed CPU time. */
	constructor(unattributedFrame: number, jvmStacks: JvmStacks) {
		this.#unattributed = Int32Array.of(unattributedFrame);
		this.#jvmStacks = jvmStacks;
	}

	/**
	Adds the CPU time that was used but not recorded to a sample's attributed CPU time. `intervalNs`: time since the
	previous sample; `endedNs`: CPU time of threads that are in no sample. Returns whether any time counts at a stack.
	*/
	add(sample: Sample, intervalNs: number, endedNs = 0): boolean {
		this.#samples++;
		const {count, attributedCpu} = sample;
		attributedCpu.recordedCount = attributedCpu.count;
		this.#addUncounted(sample);
		const balanceNs = this.#balances(sample);
		for (let row = 0; row < count; row++) {
			// Unlike an empty stack, an unreadable one remains unattributed.
			if (
				balanceNs[row] > 0 && sample.stackLength[row] === 0 && (sample.flags[row] & threadFlag.incomplete) === 0
			) {
				sample.addAttributedCpu(row, balanceNs[row], this.#jvmStacks.ofThread(sample.name[row]));
				balanceNs[row] = 0;
			}
		}

		if (sample.isObservation) {
			this.#addObserved(sample, balanceNs, intervalNs);
		}

		const hasStacks = attributedCpu.count > 0;
		for (let row = 0; row < count; row++) {
			if (balanceNs[row] !== 0) {
				this.#addUnattributed(sample, row, balanceNs[row]);
			}
		}

		if (endedNs > 0) {
			const existing = sample.key.subarray(0, sample.count).indexOf(endedThreadsKey);
			const row = existing === -1 ? sample.addThread(endedThreadsKey, 0, endedThreadsName) : existing;
			sample.state[row] = stateCode.TERMINATED;
			sample.cpuNs[row] += endedNs;
			this.#addUnattributed(sample, row, endedNs);
		}

		return hasStacks;
	}

	/** Keeps the CPU time of a sample that was added but not counted: it is added to the next sample. */
	takeBack({count, key, cpuNs}: Sample): void {
		for (let row = 0; row < count; row++) {
			if (cpuNs[row] > 0) {
				this.#uncountedNs.set(key[row], cpuNs[row]);
			}
		}
	}

	#addUnattributed(sample: Sample, row: number, ns: number): void {
		sample.addAttributedCpu(row, ns, this.#unattributed);
		// No record shows this time.
		sample.attributedCpu.records[sample.attributedCpu.count - 1] = 0;
	}

	#addUncounted({count, key, cpuNs}: Sample): void {
		for (let row = 0; this.#uncountedNs.size > 0 && row < count; row++) {
			cpuNs[row] += this.#uncountedNs.get(key[row]) ?? 0;
		}

		this.#uncountedNs.clear();
	}

	/** Returns the CPU time used but not recorded, by row. A virtual thread's is included in its carrier's. */
	#balances(sample: Sample): Float64Array {
		const {count, attributedCpu, cpuNs} = sample;
		if (count > this.#balanceNs.length) {
			this.#balanceNs = new Float64Array(count * 2);
		}

		const balanceNs = this.#balanceNs.fill(0, 0, count);
		for (let row = 0; row < count; row++) {
			balanceNs[platformRow(sample, row)] += cpuNs[row];
		}

		for (let index = 0; index < attributedCpu.count; index++) {
			balanceNs[platformRow(sample, attributedCpu.row[index])] -= attributedCpu.cpuNs[index];
		}

		return balanceNs;
	}

	#addObserved(sample: Sample, balanceNs: Float64Array, intervalNs: number): void {
		this.#meanIntervalNs += (intervalNs - this.#meanIntervalNs)
			* (this.#meanIntervalNs === 0 ? 1 : newestIntervalWeight);
		const maxPendingNs = maxPendingIntervals * this.#meanIntervalNs;
		for (let row = 0; row < sample.count; row++) {
			const platform = platformRow(sample, row);
			if (sample.stackLength[row] === 0 || (sample.cpuNs[row] === 0 && sample.isObserved[row] === 0)) {
				continue;
			}

			const pending = getOrCreate(this.#pendingByKey, sample.key[platform], () => ({ns: 0, observations: 0}));
			pending.ns = Math.min(pending.ns + sample.cpuNs[row], Math.max(pending.ns, maxPendingNs));
			if (sample.isObserved[row] === 1) {
				const ns = pending.ns * Math.max(attributedFraction, 1 / ++pending.observations);
				pending.ns -= ns;
				balanceNs[platform] -= ns;
				const start = sample.stackStart[row];
				sample.addAttributedCpu(row, ns, sample.frames.slice(start, start + sample.stackLength[row]));
			}
		}

		if (this.#samples % forgetEverySamples === 0) {
			this.#forgetAbsent(sample);
		}
	}

	#forgetAbsent({count, key}: Sample): void {
		const present = new Set(key.subarray(0, count));
		for (const thread of this.#pendingByKey.keys()) {
			if (!present.has(thread)) {
				this.#pendingByKey.delete(thread);
			}
		}
	}
}

/** Returns the row of the platform thread: for a mounted virtual thread, its carrier's. */
function platformRow({carrier}: Sample, row: number): number {
	return carrier[row] < 0 ? row : carrier[row];
}
