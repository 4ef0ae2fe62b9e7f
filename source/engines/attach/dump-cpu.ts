import type {Sample} from '../../model/sample.js';
import type {NativeIds} from '../../jvm/threads/native-ids.js';
import type {ThreadCpu} from '../../jvm/threads/thread-cpu.js';

/** Each sample reduces the totals of earlier ones by this factor, so that about the last 20 count. */
const decay = 0.95;

/** Sets each row's CPU time since the previous sample: the kernel's or else the dump's "cpu=" (JDK 11 and later). */
export class DumpCpu {
	/** By row of the last sample: 1 if it has a CPU time, 0 if that is unknown. */
	hasCpuTime = new Uint8Array(64);
	/** CPU time, and time waiting for a CPU, of all threads in recent samples; see `decay`. */
	#usedNs = 0;
	#runDelayNs = 0;

	readonly #threadCpu: ThreadCpu;
	readonly #ids: NativeIds;
	/** Threads' CPU times as the last dump printed them, and the one before, by their keys. */
	#dumpCpuNs = new Map<number, number>();
	#previousCpuNs: ReadonlyMap<number, number> = this.#dumpCpuNs;

	constructor(threadCpu: ThreadCpu, ids: NativeIds) {
		this.#threadCpu = threadCpu;
		this.#ids = ids;
	}

	/** Share of the time in which threads could run that they waited for a CPU, from 0 to 1. */
	get cpuWaitShare(): number {
		return this.#runDelayNs / Math.max(1, this.#usedNs + this.#runDelayNs);
	}

	/**
	Fills `cpuNs` and `runDelayNs`, and translates `nativeId` to our pid namespace. `headerCpuNs`: the dump's own CPU
	times by row, -1 if not printed. A carrier's times move to the virtual thread that it runs, in a later row.
	*/
	fill(sample: Sample, headerCpuNs: readonly number[]): void {
		this.#previousCpuNs = this.#dumpCpuNs;
		this.#dumpCpuNs = new Map();
		this.#ids.newRound();
		if (sample.count > this.hasCpuTime.length) {
			this.hasCpuTime = new Uint8Array(sample.count * 2);
		}

		this.#usedNs *= decay;
		this.#runDelayNs *= decay;
		const {hasCpuTime} = this;
		for (let row = 0; row < sample.count; row++) {
			if (sample.carrier[row] >= 0) {
				const carrier = sample.carrier[row];
				sample.cpuNs[row] = sample.cpuNs[carrier];
				sample.cpuNs[carrier] = 0;
				sample.runDelayNs[row] = sample.runDelayNs[carrier];
				sample.runDelayNs[carrier] = 0;
				hasCpuTime[row] = hasCpuTime[carrier];
				continue;
			}

			const nativeId = this.#ids.ours(sample.nativeId[row]);
			sample.nativeId[row] = nativeId;
			// `delta` also sets `lastResult` and `runDelayNs`.
			const delta = nativeId > 0 ? this.#threadCpu.delta(nativeId) : 0;
			const lastResult = nativeId > 0 ? this.#threadCpu.lastResult : 'unreadable';
			if (lastResult === 'gone') {
				this.#ids.forget();
			} else if (lastResult === 'read') {
				this.#usedNs += delta;
				this.#runDelayNs += this.#threadCpu.runDelayNs;
				sample.runDelayNs[row] = this.#threadCpu.runDelayNs;
			}

			const isOnlyInDump = lastResult === 'unreadable' && headerCpuNs[row] >= 0;
			// -1: unknown.
			const cpuNs = isOnlyInDump
				? this.#dumpDelta(sample.key[row], headerCpuNs[row])
				: (lastResult === 'read' ? delta : -1);
			sample.cpuNs[row] = Math.max(0, cpuNs);
			hasCpuTime[row] = cpuNs < 0 ? 0 : 1;
		}

		this.#threadCpu.forgetUnread();
	}

	/** Returns the CPU time since the thread's previous dump; -1 if this is its first. */
	#dumpDelta(key: number, cpuNs: number): number {
		const previousNs = this.#previousCpuNs.get(key);
		this.#dumpCpuNs.set(key, cpuNs);
		return previousNs === undefined ? -1 : Math.max(0, cpuNs - previousNs);
	}
}
