import type {Sample} from '../../model/sample.js';
import type {NativeIds} from '../../jvm/threads/native-ids.js';
import type {ThreadCpu} from '../../jvm/threads/thread-cpu.js';

/**
Where the CPU time of threads comes from: the kernel; the dump's own "cpu=" (JDK 11 and later, to 10 us); or nowhere
(JDK 8 with /proc closed).
*/
type CpuSource = 'kernel' | 'dump' | 'none';

/** Gives each row of a sample the CPU nanoseconds that its thread used since the sample before. */
export class DumpCpu {
	source: CpuSource = 'kernel';
	/** By row of the last sample: 1 where `cpuNs` is what the thread used, 0 where nothing says so. */
	known = new Uint8Array(64);

	readonly #threadCpu: ThreadCpu;
	readonly #ids: NativeIds;
	/** By thread key: CPU nanoseconds in the last dump, and the round it was seen in. */
	readonly #dumpCpuNs = new Map<number, {cpuNs: number; round: number}>();
	#round = 0;

	constructor(threadCpu: ThreadCpu, ids: NativeIds) {
		this.#threadCpu = threadCpu;
		this.#ids = ids;
	}

	/**
	Fills `cpuNs` and turns `nativeId` into our own ids. `headerCpuNs` is what the dump says by row, -1 for nothing.
	What a carrier used counts as used by its virtual thread.
	*/
	fill(sample: Sample, headerCpuNs: readonly number[]): void {
		this.#round++;
		this.#ids.newRound();
		if (sample.count > this.known.length) {
			this.known = new Uint8Array(sample.count * 2);
		}

		const {known} = this;
		let read = 0;
		let closed = 0;
		for (let row = 0; row < sample.count; row++) {
			if (sample.carrier[row] >= 0) {
				const carrier = sample.carrier[row];
				sample.cpuNs[row] = sample.cpuNs[carrier];
				sample.cpuNs[carrier] = 0;
				known[row] = known[carrier];
				continue;
			}

			const nativeId = this.#ids.ours(sample.nativeId[row]);
			sample.nativeId[row] = nativeId;
			let cpuNs = headerCpuNs[row] >= 0 && this.source !== 'kernel' ? this.#dumpDelta(sample.key[row], headerCpuNs[row]) : -1;
			if (nativeId > 0) {
				const delta = this.#threadCpu.delta(nativeId);
				if (this.#threadCpu.reading === 'read') {
					cpuNs = delta;
					read++;
				} else if (this.#threadCpu.reading === 'closed') {
					closed++;
				} else {
					this.#ids.forget();
				}
			}

			sample.cpuNs[row] = Math.max(0, cpuNs);
			known[row] = cpuNs < 0 ? 0 : 1;
		}

		this.source = read > 0 || closed === 0 ? 'kernel' : (hasAny(headerCpuNs, sample.count) ? 'dump' : 'none');
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

function hasAny(headerCpuNs: readonly number[], count: number): boolean {
	for (let row = 0; row < count; row++) {
		if (headerCpuNs[row] >= 0) {
			return true;
		}
	}

	return false;
}
