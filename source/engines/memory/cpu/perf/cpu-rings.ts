import {constants} from 'node:os';
import {threadIdsOf} from '../../../../jvm/threads/native-ids.js';
import {refusalOf, type PerfCalls} from './perf-calls.js';
import {
	Ring, pageBytes, type Records, type ThreadRecord,
} from './ring.js';

/**
Bytes of all rings together, and the maximum and minimum pages of one. A ring gets the records of every process on its
CPU, a hundred a second with room for a full stack copy each: the largest lasts for a second, the smallest for 70 ms.
*/
const allBytes = 64 << 20;
const maxPages = 1024;
const minPages = 32;

/** Maximum number of CPUs: as many as smallest rings fit. */
const cpuLimit = allBytes / (minPages * pageBytes);

/** Bytes of stack in a record, by size of the ring. Stacks usually have 6 to 8 KB, at most 21. */
const stackBytes = {large: 32_768, small: 16_384} as const;
const largePages = 256;

/** Bytes of a record apart from its stack. */
const recordHeadBytes = 256;

/**
How often the target's CPUs are read again, milliseconds: at the latest, at the earliest if they may have changed, and
as a multiple of the time that it takes.
*/
const followMs = 2000;
const followNewMs = 250;
const followTimes = 200;

/**
How long a CPU keeps its ring after the target may not run there any more, milliseconds: one that is moved to and fro is
seldom elsewhere when its CPUs are read.
*/
const keepMs = 15_000;

type CpuEvent = {
	readonly fd: number;
	readonly mapped: {readonly memory: ArrayBuffer; readonly address: unknown};
	readonly ring: Ring;
	/** When the target was last found allowed to run there. */
	allowedMs: number;
};

/**
Events on the clocks of all CPUs that the target may run on. Records of other processes are dropped unread. The rings
are also drained between samples.
*/
export class CpuRings {
	/**
	Opens the events; undefined, after calling `refused` with the reason, if they are not permitted or there are too
	many CPUs.
	*/
	static open(calls: PerfCalls, pid: number, periodNs: number, refused: (reason: string) => void = () => undefined): CpuRings | undefined {
		const cpus = targetCpus(calls, pid);
		if (cpus.length > cpuLimit) {
			refused(`${cpus.length} CPUs are more than ${cpuLimit}`);
			return undefined;
		}

		const rings = new CpuRings(calls, pid, periodNs);
		rings.#openAll(cpus);
		const [refusal] = rings.#refused.values();
		if (refusal === undefined && rings.#events.size > 0) {
			return rings;
		}

		rings.close();
		refused(refusal === undefined ? 'its CPUs are unknown' : refusalOf(refusal));
		return undefined;
	}

	/** Number of records that fit in the smallest ring. */
	room = Infinity;
	readonly #calls: PerfCalls;
	readonly #pid: number;
	/** Open events by CPU, and errno by CPU whose event was refused later. */
	readonly #events = new Map<number, CpuEvent>();
	readonly #refused = new Map<number, number>();
	readonly #periodNs: number;
	#followedMs = performance.now();
	/** Duration of the last `follow`. */
	#followTookMs = 0;
	#drainTimer?: NodeJS.Timeout;
	/** Bytes of all rings: the limit of drained records waiting for the next sample. */
	#ringBytes = 0;
	/** Drained since the last `take`. */
	#records: ThreadRecord[] = [];
	#bytes = 0;
	#lost = 0;

	private constructor(calls: PerfCalls, pid: number, periodNs: number) {
		this.#calls = calls;
		this.#pid = pid;
		this.#periodNs = periodNs;
	}

	/** What has no records, as a printable line; empty if everything has. */
	get finding(): string {
		const [error] = this.#refused.values();
		return error === undefined ? '' : `threads on CPU ${[...this.#refused.keys()].join(', ')} have no records: ${refusalOf(error)}`;
	}

	/** The target's records from all CPUs since the last call. */
	take(): Records {
		this.#drain();
		this.#records.sort((a, b) => a.timeNs - b.timeNs);
		const taken = {records: this.#records, lost: this.#lost};
		this.#forget();
		return taken;
	}

	/**
	Follows changes of the target's CPUs; call often. `hasNew`: the target has new threads.
	*/
	follow(nowMs: number, hasNew: boolean): void {
		if (nowMs - this.#followedMs < Math.max(hasNew ? followNewMs : followMs, followTimes * this.#followTookMs)) {
			return;
		}

		this.#followedMs = nowMs;
		const startedMs = performance.now();
		const cpus = targetCpus(this.#calls, this.#pid);
		for (const [cpu, event] of this.#events) {
			event.allowedMs = cpus.includes(cpu) ? nowMs : event.allowedMs;
		}

		const added = cpus.slice(0, cpuLimit).filter(cpu => !this.#events.has(cpu));
		const keptMs = this.#events.size + added.length > cpuLimit ? 0 : keepMs;
		const left = [...this.#events].filter(([, {allowedMs}]) => nowMs - allowedMs > keptMs).map(([cpu]) => cpu);
		if (left.length > 0) {
			this.#drain();
		}

		for (const cpu of left) {
			this.#close(cpu);
		}

		this.#openAll(added);
		this.#followTookMs = performance.now() - startedMs;
	}

	close(): void {
		clearInterval(this.#drainTimer);
		for (const cpu of this.#events.keys()) {
			this.#close(cpu);
		}

		this.#forget();
	}

	/** Opens events on these CPUs, and records which were refused. */
	#openAll(cpus: readonly number[]): void {
		this.#refused.clear();
		const count = this.#events.size + cpus.length;
		const pages = Math.max(minPages, Math.min(maxPages, 2 ** Math.floor(Math.log2(allBytes / pageBytes / count))));
		for (const cpu of cpus) {
			const error = this.#open(cpu, pages);
			if (error !== 0 && error !== constants.errno.ENODEV) {
				this.#refused.set(cpu, error);
			}
		}

		if (cpus.length > 0) {
			clearInterval(this.#drainTimer);
			this.#drainTimer = setInterval(() => {
				if (this.#bytes < this.#ringBytes) {
					this.#drain();
				}
			}, this.room * this.#periodNs / 2e6).unref();
		}
	}

	#open(cpu: number, maxPages: number): number {
		const copied = maxPages < largePages ? stackBytes.small : stackBytes.large;
		const opened = this.#calls.open(cpu, {
			periodNs: this.#periodNs, stackBytes: copied, withKernel: true, ofCpu: true,
		});
		if ('errno' in opened) {
			return opened.errno;
		}

		let errno = 0;
		for (let pages = maxPages; pages >= minPages; pages /= 2) {
			const mapped = this.#calls.mapRing(opened.fd, (1 + pages) * pageBytes);
			if (!('errno' in mapped)) {
				this.room = Math.min(this.room, Math.floor(pages * pageBytes / (copied + recordHeadBytes)));
				this.#ringBytes += mapped.memory.byteLength;
				this.#events.set(cpu, {
					fd: opened.fd, mapped, ring: new Ring(mapped.memory), allowedMs: performance.now(),
				});
				return 0;
			}

			({errno} = mapped);
		}

		this.#calls.close(opened.fd);
		return errno;
	}

	/** Moves the records out of the rings. */
	#drain(): void {
		for (const {ring} of this.#events.values()) {
			const taken = ring.take(this.#pid);
			for (const record of taken.records) {
				record.periodNs = this.#periodNs;
				this.#records.push(record);
				this.#bytes += record.stack.length;
			}

			this.#lost += taken.lost;
		}
	}

	#forget(): void {
		this.#records = [];
		this.#bytes = 0;
		this.#lost = 0;
	}

	#close(cpu: number): void {
		const {fd, mapped} = this.#events.get(cpu)!;
		this.#events.delete(cpu);
		this.#ringBytes -= mapped.memory.byteLength;
		this.#calls.unmap(mapped);
		this.#calls.close(fd);
	}
}

/** Maximum bytes of a CPU mask: 8192 CPUs, more than any kernel supports. */
const maskBytes = 1024;

/**
CPUs that any thread of a process may run on, ascending: each thread has its own mask (sched_setaffinity(2)). Empty if
the process has ended.
*/
export function targetCpus({affinity}: {affinity(tid: number, into: Uint8Array): number}, pid: number): number[] {
	const all = new Uint8Array(maskBytes);
	const mask = new Uint8Array(maskBytes);
	for (const tid of threadIdsOf(pid)) {
		const length = affinity(tid, mask);
		for (let at = 0; at < length; at++) {
			all[at] |= mask[at];
		}
	}

	const cpus: number[] = [];
	for (const [at, bits] of all.entries()) {
		for (let bit = 0; bit < 8; bit++) {
			if ((bits & (1 << bit)) !== 0) {
				cpus.push((at * 8) + bit);
			}
		}
	}

	return cpus;
}
