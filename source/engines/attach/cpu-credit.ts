import type {Sample} from '../../model/sample.js';
import type {NativeIds} from '../../target/native-ids.js';
import type {ThreadCpu} from '../../target/thread-cpu.js';

/** Where the CPU time of threads comes from: the kernel; the dump's own "cpu=" (11 and later, 10 us fine); nowhere (8, with /proc closed). */
export type CpuSource = 'kernel' | 'dump' | 'none';

/** Gives each row of a sample the CPU nanoseconds that its thread used since the sample before. */
export class CpuCredit {
	source: CpuSource = 'kernel';

	readonly #threadCpu: ThreadCpu;
	readonly #ids: NativeIds;
	/** By thread key: CPU nanoseconds in the last dump, and the round it was seen in. */
	readonly #dumpCpuNs = new Map<number, {cpuNs: number; round: number}>();
	#round = 0;

	constructor(threadCpu: ThreadCpu, ids: NativeIds) {
		this.#threadCpu = threadCpu;
		this.#ids = ids;
	}

	/** Fills `cpuNs` and turns `nativeId` into our own ids. `headerCpuNs` is what the dump says by row, -1 for nothing. What a carrier uses, its virtual thread used. */
	credit(sample: Sample, headerCpuNs: Float64Array): void {
		this.#round++;
		this.#ids.newRound();
		let read = 0;
		let closed = 0;
		for (let row = 0; row < sample.count; row++) {
			if (sample.carrier[row] >= 0) {
				const carrier = sample.carrier[row];
				sample.cpuNs[row] = sample.cpuNs[carrier];
				sample.cpuNs[carrier] = 0;
				continue;
			}

			const nativeId = this.#ids.ours(sample.nativeId[row]);
			sample.nativeId[row] = nativeId;
			const dumpDelta = headerCpuNs[row] >= 0 && this.source !== 'kernel' ? this.#dumpDelta(sample.key[row], headerCpuNs[row]) : 0;
			sample.cpuNs[row] = dumpDelta;
			if (nativeId > 0) {
				const delta = this.#threadCpu.delta(nativeId);
				if (this.#threadCpu.reading === 'read') {
					sample.cpuNs[row] = delta;
					read++;
				} else if (this.#threadCpu.reading === 'closed') {
					closed++;
				} else {
					this.#ids.forget();
				}
			}
		}

		this.source = read > 0 || closed === 0 ? 'kernel' : (hasAny(headerCpuNs, sample.count) ? 'dump' : 'none');
		this.#threadCpu.forgetUnread();
		this.#forgetUnseen();
	}

	#dumpDelta(key: number, cpuNs: number): number {
		const last = this.#dumpCpuNs.get(key);
		if (!last) {
			this.#dumpCpuNs.set(key, {cpuNs, round: this.#round});
			return 0;
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

function hasAny(headerCpuNs: Float64Array, count: number): boolean {
	for (let row = 0; row < count; row++) {
		if (headerCpuNs[row] >= 0) {
			return true;
		}
	}

	return false;
}
