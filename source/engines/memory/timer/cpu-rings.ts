import {readFileSync} from 'node:fs';
import {type PerfCalls} from './perf-calls.js';
import {type ThreadRecord} from './records.js';
import {pageBytes, Ring} from './ring.js';

/**
Bytes of stack in a record, and sizes of a CPU's ring in pages, the best first: records of every process that runs there
are in it, a hundred a second, each with room for a whole copy. On a host with much to do we are late by some tenths of
a second now and then, and a megabyte is full after a third of one: so that a ring lasts for a second, as far as all of
them take 16 MB at most.
*/
const stackBytes = 32_768;
const recordBytes = stackBytes + 256;
const ringPages = [1024, 512, 256, 64] as const;
const allPages = 4096;

/**
CPUs at most: each has a ring, and is interrupted a hundred times a second even where the target does not run.
*/
const cpuLimit = 16;

/** errno of a CPU that is off line. */
const noSuchDevice = 19;

/**
A CPU's clock goes on while nobody runs, and so might be in step with a program: after a while, milliseconds, another
period within this part of the usual one is taken, for each CPU at another time.
*/
const unsteady = 0.15;
const steadyMs = 500;

type CpuEvent = {
	/** When it has been in step with whatever it may be in step with for long enough. */
	changeAtMs: number;
	readonly fd: number;
	readonly mapped: {readonly memory: ArrayBuffer; readonly address: unknown};
	readonly ring: Ring;
};

/** What all CPUs recorded of one process since it was last looked at, in the order of time on each CPU. */
export type CpuRecords = {
	readonly records: readonly ThreadRecord[];
	/** Records that a ring had no room for, of whatever process. */
	readonly lost: number;
	/** The part of the fullest ring that was in use. */
	readonly fill: number;
};

/** Events on the clocks of CPUs: they record whoever runs there. What is not this process's is dropped unread. */
export class CpuRings {
	/**
	Opens them; undefined where that is not allowed (kernel.perf_event_paranoid above 0 without CAP_PERFMON), or where
	there are too many CPUs.
	*/
	static open(calls: PerfCalls, pid: number, periodNs: number): CpuRings | undefined {
		const cpus = allowedCpus(pid);
		if (cpus.length === 0 || cpus.length > cpuLimit) {
			return undefined;
		}

		const rings = new CpuRings(calls, pid);
		for (const cpu of cpus) {
			const errno = rings.#open(cpu, periodNs, Math.max(ringPages.at(-1)!, allPages / cpus.length));
			if (errno !== 0 && errno !== noSuchDevice) {
				rings.close();
				return undefined;
			}
		}

		return rings.#events.length > 0 ? rings : undefined;
	}

	/** Records that the smallest ring has room for. */
	room = Infinity;
	readonly #calls: PerfCalls;
	readonly #pid: number;
	#events: CpuEvent[] = [];

	private constructor(calls: PerfCalls, pid: number) {
		this.#calls = calls;
		this.#pid = pid;
	}

	take(): CpuRecords {
		const records: ThreadRecord[] = [];
		let lost = 0;
		let fill = 0;
		for (const {ring, mapped} of this.#events) {
			const taken = ring.takeOf(this.#pid);
			records.push(...taken.records);
			lost += taken.lost;
			fill = Math.max(fill, taken.bytes / mapped.memory.byteLength);
		}

		return {records, lost, fill};
	}

	/** Nanoseconds between two records of a CPU, in the mean. `isNew`: others than before; to be called often. */
	setPeriod(periodNs: number, nowMs: number, isNew: boolean): void {
		for (const event of this.#events) {
			if (isNew || nowMs >= event.changeAtMs) {
				event.changeAtMs = nowMs + (steadyMs * (0.5 + Math.random()));
				this.#calls.setPeriod(event.fd, periodNs * (1 + (unsteady * ((2 * Math.random()) - 1))));
			}
		}
	}

	close(): void {
		for (const {fd, mapped} of this.#events) {
			this.#calls.unmap(mapped);
			this.#calls.close(fd);
		}

		this.#events = [];
	}

	#open(cpu: number, periodNs: number, mostPages: number): number {
		const opened = this.#calls.open(cpu, {
			periodNs, stackBytes, withKernel: true, ofCpu: true,
		});
		if ('errno' in opened) {
			return opened.errno;
		}

		let errno = 0;
		for (const pages of ringPages.filter(pages => pages <= mostPages)) {
			const mapped = this.#calls.mapRing(opened.fd, (1 + pages) * pageBytes);
			if (!('errno' in mapped)) {
				this.room = Math.min(this.room, Math.floor(pages * pageBytes / recordBytes));
				this.#events.push({
					changeAtMs: 0, fd: opened.fd, mapped, ring: new Ring(mapped.memory),
				});
				return 0;
			}

			({errno} = mapped);
		}

		this.#calls.close(opened.fd);
		return errno;
	}
}

/** CPUs that a process may run on (proc(5), Cpus_allowed_list of /proc/PID/status: "0-3,8"); none if that is unknown. */
export function allowedCpus(pid: number): number[] {
	try {
		const list = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '';
		return list.split(',').filter(Boolean).flatMap(range => {
			const [first, last = first] = range.split('-').map(Number);
			return Array.from({length: Math.min(last - first, cpuLimit) + 1}, (_, index) => first + index);
		});
	} catch {
		return [];
	}
}
