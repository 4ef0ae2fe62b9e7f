import {threadFlag, type Sample} from '../../model/sample.js';
import {printable} from '../../model/text.js';
import {stateCode} from '../../model/thread-state.js';
import {kernelNameOf, threadIdsOf} from '../../jvm/threads/native-ids.js';
import type {ThreadCpu} from '../../jvm/threads/thread-cpu.js';

/** How often the process's threads are listed, milliseconds, and how many of them are read. */
const listEveryMs = 1000;
const maxThreads = 4096;

/** Threads that no dump shows: native libraries' own. Their names and CPU times are the kernel's. */
export class OtherThreads {
	readonly #pid: number;
	readonly #cpu: ThreadCpu;
	#listAtMs = 0;
	/** Names by Linux id, and how many lists had the thread: a new Java thread may be in none of the dumps yet. */
	#threads = new Map<number, {readonly name: string; readonly lists: number}>();

	constructor(pid: number, cpu: ThreadCpu) {
		this.#pid = pid;
		this.#cpu = cpu;
	}

	/** Adds them to a sample that has the dump's threads, with Linux ids of ours. */
	add(into: Sample): void {
		const {count, nativeId, carrier} = into;
		const dumped = new Set(nativeId.subarray(0, count));
		// Where ids are not known, a thread would count twice.
		if (nativeId.subarray(0, count).some((id, row) => id <= 0 && carrier[row] < 0)) {
			return;
		}

		if (performance.now() >= this.#listAtMs) {
			this.#list(dumped);
			this.#listAtMs = performance.now() + listEveryMs;
		}

		for (const [id, {name, lists}] of this.#threads) {
			const usedNs = dumped.has(id) ? 0 : this.#cpu.delta(id);
			if (dumped.has(id) || this.#cpu.reading !== 'read') {
				this.#threads.delete(id);
			} else if (lists > 1 && (usedNs > 0 || id !== this.#pid)) {
				// The launcher's first thread only waits for the one that runs main, unless it is a program's own.
				const row = into.addThread(-id, id, name);
				into.flags[row] = threadFlag.vmInternal;
				into.state[row] = usedNs > 0 ? stateCode.RUNNABLE : stateCode.IDLE;
				into.cpuNs[row] = usedNs;
				into.runDelayNs[row] = this.#cpu.waitedNs;
			}
		}
	}

	#list(dumped: ReadonlySet<number>): void {
		const others = threadIdsOf(this.#pid).filter(id => !dumped.has(id)).slice(0, maxThreads);
		this.#threads = new Map(others.map(id => {
			const {name, lists} = this.#threads.get(id) ?? {name: '', lists: 0};
			// Until it sets its name it has that of its creator.
			return [id, {name: lists === 1 ? printable(kernelNameOf(this.#pid, id)) : name, lists: lists + 1}];
		}));
	}
}
