import type {Sample} from '../../model/sample.js';
import type {NativeIds} from '../../jvm/threads/native-ids.js';
import type {ThreadCpu} from '../../jvm/threads/thread-cpu.js';

/** Weight of the samples so far when the next one is added. */
const remembered = 0.95;

/**
Gives each row of a sample the CPU nanoseconds that its thread used since the sample before: from the kernel, or, where
/proc is closed, from the dump's own "cpu=" (JDK 11 and later, to 10 us).
*/
export class DumpCpu {
	/** By row of the last sample: 1 where `cpuNs` is what the thread used, 0 where nothing says so. */
	known = new Uint8Array(64);
	/** What threads used and how long they waited for a CPU: nanoseconds of recent samples. */
	#usedNs = 0;
	#waitedNs = 0;

	readonly #threadCpu: ThreadCpu;
	readonly #ids: NativeIds;
	/** By thread key: CPU nanoseconds in the last dump, and the round it was seen in. */
	readonly #dumpCpuNs = new Map<number, {cpuNs: number; round: number}>();
	#round = 0;

	constructor(threadCpu: ThreadCpu, ids: NativeIds) {
		this.#threadCpu = threadCpu;
		this.#ids = ids;
	}

	/** Part of the time in which threads could run that they waited for a CPU, 0 to 1. */
	get waitingPart(): number {
		return this.#waitedNs / Math.max(1, this.#usedNs + this.#waitedNs);
	}

	/**
	Fills `cpuNs` and `runDelayNs`, and turns `nativeId` into our own ids. `headerCpuNs` is what the dump says by row, -1 for nothing.
	What a carrier used counts as used by its virtual thread.
	*/
	fill(sample: Sample, headerCpuNs: readonly number[]): void {
		this.#round++;
		this.#ids.newRound();
		if (sample.count > this.known.length) {
			this.known = new Uint8Array(sample.count * 2);
		}

		this.#usedNs *= remembered;
		this.#waitedNs *= remembered;
		const {known} = this;
		for (let row = 0; row < sample.count; row++) {
			if (sample.carrier[row] >= 0) {
				const carrier = sample.carrier[row];
				sample.cpuNs[row] = sample.cpuNs[carrier];
				sample.cpuNs[carrier] = 0;
				sample.runDelayNs[row] = sample.runDelayNs[carrier];
				sample.runDelayNs[carrier] = 0;
				known[row] = known[carrier];
				continue;
			}

			const nativeId = this.#ids.ours(sample.nativeId[row]);
			sample.nativeId[row] = nativeId;
			const delta = nativeId > 0 ? this.#threadCpu.delta(nativeId) : 0;
			const reading = nativeId > 0 ? this.#threadCpu.reading : 'closed';
			if (reading === 'gone') {
				this.#ids.forget();
			} else if (reading === 'read') {
				this.#usedNs += delta;
				this.#waitedNs += this.#threadCpu.waitedNs;
				sample.runDelayNs[row] = this.#threadCpu.waitedNs;
			}

			const isInDump = reading === 'closed' && headerCpuNs[row] >= 0;
			const cpuNs = isInDump ? this.#dumpDelta(sample.key[row], headerCpuNs[row]) : (reading === 'read' ? delta : -1);
			sample.cpuNs[row] = Math.max(0, cpuNs);
			known[row] = cpuNs < 0 ? 0 : 1;
		}

		this.#threadCpu.forgetUnread();
		this.#forgetUnseen();
	}

	/** CPU nanoseconds since the thread's last dump; -1 when this is its first. */
	#dumpDelta(key: number, cpuNs: number): number {
		const last = this.#dumpCpuNs.get(key);
		if (!last) {
			this.#dumpCpuNs.set(key, {cpuNs, round: this.#round});
			return -1;
		}

		const delta = cpuNs - last.cpuNs;
		last.cpuNs = cpuNs;
		last.round = this.#round;
		return Math.max(0, delta);
	}

	#forgetUnseen(): void {
		for (const [key, last] of this.#dumpCpuNs) {
			if (last.round !== this.#round) {
				this.#dumpCpuNs.delete(key);
			}
		}
	}
}
