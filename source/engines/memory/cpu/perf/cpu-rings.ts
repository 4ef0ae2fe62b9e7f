import {constants} from 'node:os';
import {joined, safe, type Printable} from '../../../../util/printable.js';
import {threadIdsOf} from '../../../../jvm/threads/native-ids.js';
import {pageBytes, refusalOf, type MappedRing, type PerfCalls} from './perf-calls.js';
import {Ring, type Records, type PerfRecord} from './perf-ring.js';

/**
Bounds on the bytes of all rings and on the pages of one. A ring receives a hundred records a second, of every process
on its CPU, each with space for a full stack copy: the largest holds a second of them, the smallest 70 ms.
*/
const maxBytesOfAllRings = 64 << 20;
const maxRingPages = 1024;
const minRingPages = 32;

/** With this many rings, all have the minimum size. */
const maxCpus = maxBytesOfAllRings / (minRingPages * pageBytes);

const maxNamedCpus = 8;

/** Bytes of stack in a record: `large` in rings of at least `largePages`. Stacks usually have 6 to 8 KB. */
const stackBytes = {large: 32_768, small: 16_384} as const;
const largePages = 256;

/** Bytes of a record apart from its stack. */
const recordHeaderBytes = 256;

/**
Interval between reads of the CPUs that the target may use, and the one after a thread has started. Both are at least
`updateMultiple` times the duration of a read.
*/
const updateMs = 2000;
const newThreadsUpdateMs = 250;
const updateMultiple = 200;

/** How long a CPU keeps its ring after the target was last allowed there: a read may miss a target that moves. */
const keepMs = 15_000;

type CpuEvent = {
	readonly fd: number;
	readonly mapped: MappedRing;
	readonly ring: Ring;
	/** When the target was last allowed to run on this CPU. */
	allowedMs: number;
};

/** Events on the clocks of the CPUs that the target may run on. Their rings are also drained between samples. */
export class CpuRings {
	/** Opens the events; returns the reason if they are refused. */
	static open(calls: PerfCalls, pid: number, periodNs: number): CpuRings | string {
		const rings = new CpuRings(calls, pid, periodNs);
		rings.#openAll(targetCpus(calls, pid));
		const [refusal] = rings.#refusals.values();
		if (refusal === undefined && rings.#events.size > 0) {
			return rings;
		}

		rings.close();
		return refusal ?? 'the target\'s CPUs are unknown';
	}

	/** Number of records that fit into the smallest ring. */
	ringRecords = Infinity;
	readonly #calls: PerfCalls;
	readonly #pid: number;
	/** By CPU. */
	readonly #events = new Map<number, CpuEvent>();
	/** By CPU that the target may run on: why it has no event. */
	readonly #refusals = new Map<number, Printable>();
	#periodNs: number;
	#updatedMs = performance.now();
	#updateTookMs = 0;
	#drainTimer?: NodeJS.Timeout;
	/** Bytes of all rings; also limits the drained records kept for the next sample. */
	#ringBytes = 0;
	/** Drained since the last `take`: records, their stack bytes, and the number of lost records. */
	#records: PerfRecord[] = [];
	#recordBytes = 0;
	#lost = 0;

	private constructor(calls: PerfCalls, pid: number, periodNs: number) {
		this.#calls = calls;
		this.#pid = pid;
		this.#periodNs = periodNs;
	}

	/** Returns a printable line about CPUs without records; empty if all have records. */
	get unrecordedNote(): Printable {
		const [refusal] = this.#refusals.values();
		const cpus = [...this.#refusals.keys()];
		const others = cpus.length > maxNamedCpus ? safe` and ${cpus.length - maxNamedCpus} others` : safe``;
		return refusal === undefined
			? safe``
			: safe`threads on CPU ${joined(cpus.slice(0, maxNamedCpus).map(cpu => safe`${cpu}`), safe`, `)}${
				others
			} have no records: ${refusal}`;
	}

	/** Returns the target's records from all CPUs since the last call. */
	take(): Records {
		this.#drain();
		this.#records.sort((a, b) => a.timeNs - b.timeNs);
		const result = {records: this.#records, lost: this.#lost};
		this.#clearRecords();
		return result;
	}

	/** Opens and closes events as the set of the target's CPUs changes. */
	updateCpus(nowMs: number, hasNewThreads: boolean): void {
		if (
			nowMs - this.#updatedMs
			< Math.max(hasNewThreads ? newThreadsUpdateMs : updateMs, updateMultiple * this.#updateTookMs)
		) {
			return;
		}

		this.#updatedMs = nowMs;
		const startedMs = performance.now();
		const cpus = targetCpus(this.#calls, this.#pid);
		for (const [cpu, event] of this.#events) {
			event.allowedMs = cpus.includes(cpu) ? nowMs : event.allowedMs;
		}

		const added = cpus.filter(cpu => !this.#events.has(cpu));
		// If there are too many, CPUs that the target has left make room.
		const keptMs = this.#events.size + added.length > maxCpus ? 0 : keepMs;
		const removed = [...this.#events].filter(([, {allowedMs}]) => nowMs - allowedMs > keptMs).map(([cpu]) => cpu);
		if (removed.length > 0) {
			this.#drain();
		}

		for (const cpu of removed) {
			this.#close(cpu);
		}

		this.#openAll(added);
		this.#updateTookMs = performance.now() - startedMs;
	}

	/** Sets the period of all events. */
	setPeriod(periodNs: number): void {
		// The records so far have the period before.
		this.#drain();
		this.#periodNs = periodNs;
		for (const {fd} of this.#events.values()) {
			this.#calls.setPeriod(fd, periodNs);
		}

		this.#drainInTime();
	}

	close(): void {
		clearInterval(this.#drainTimer);
		for (const cpu of this.#events.keys()) {
			this.#close(cpu);
		}

		this.#clearRecords();
	}

	#openAll(cpus: readonly number[]): void {
		this.#refusals.clear();
		const count = this.#events.size + cpus.length;
		// Rings have a power of two of pages, and share `maxBytesOfAllRings`.
		const pages = Math.max(
			minRingPages,
			Math.min(maxRingPages, 2 ** Math.floor(Math.log2(maxBytesOfAllRings / pageBytes / count))),
		);
		for (const cpu of cpus) {
			if (this.#events.size === maxCpus) {
				this.#refusals.set(cpu, safe`more than ${maxCpus} CPUs`);
				continue;
			}

			const error = this.#open(cpu, pages);
			// ENODEV: the CPU just went offline.
			if (error !== 0 && error !== constants.errno.ENODEV) {
				this.#refusals.set(cpu, refusalOf(error));
			}
		}

		this.#drainInTime();
	}

	/** Drains the rings twice before the smallest one is full. */
	#drainInTime(): void {
		clearInterval(this.#drainTimer);
		if (this.#events.size > 0) {
			this.#drainTimer = setInterval(() => {
				if (this.#recordBytes < this.#ringBytes) {
					this.#drain();
				}
			}, this.ringRecords * this.#periodNs / 2e6).unref();
		}
	}

	/** Opens an event on a CPU, with the largest ring that can be mapped; returns 0 or an errno. */
	#open(cpu: number, largestPages: number): number {
		const copiedBytes = largestPages < largePages ? stackBytes.small : stackBytes.large;
		const opened = this.#calls.open(cpu, {
			periodNs: this.#periodNs, stackBytes: copiedBytes, withKernel: true, ofCpu: true,
		});
		if ('errno' in opened) {
			return opened.errno;
		}

		let errno = 0;
		for (let pages = largestPages; pages >= minRingPages; pages /= 2) {
			const mapped = this.#calls.mapRing(opened.fd, (1 + pages) * pageBytes);
			if (!('errno' in mapped)) {
				this.ringRecords = Math.min(
					this.ringRecords,
					Math.floor(pages * pageBytes / (copiedBytes + recordHeaderBytes)),
				);
				this.#ringBytes += mapped.memory.byteLength;
				this.#events.set(cpu, {
					fd: opened.fd,
					mapped,
					ring: new Ring(mapped.memory),
					allowedMs: performance.now(),
				});
				return 0;
			}

			({errno} = mapped);
		}

		this.#calls.close(opened.fd);
		return errno;
	}

	#drain(): void {
		for (const {ring} of this.#events.values()) {
			const result = ring.take(this.#pid);
			for (const record of result.records) {
				record.periodNs = this.#periodNs;
				this.#records.push(record);
				this.#recordBytes += record.stack.length;
			}

			this.#lost += result.lost;
		}
	}

	#clearRecords(): void {
		this.#records = [];
		this.#recordBytes = 0;
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

/** Maximum bytes of a CPU mask, a bit a CPU: 8192, as many as Linux supports on x86-64 (NR_CPUS). */
const maskBytes = 1024;

/** Returns the CPUs that a process's threads may run on (sched_setaffinity(2)), ascending; empty if it has ended. */
export function targetCpus({affinity}: {affinity(tid: number, into: Uint8Array): number}, pid: number): number[] {
	const all = new Uint8Array(maskBytes);
	const mask = new Uint8Array(maskBytes);
	let used = 0;
	for (const tid of threadIdsOf(pid)) {
		const length = affinity(tid, mask);
		used = Math.max(used, length);
		for (let at = 0; at < length; at++) {
			all[at] |= mask[at];
		}
	}

	const cpus: number[] = [];
	for (let at = 0; at < used; at++) {
		for (let bit = 0; bit < 8; bit++) {
			if ((all[at] & (1 << bit)) !== 0) {
				cpus.push((at * 8) + bit);
			}
		}
	}

	return cpus;
}
