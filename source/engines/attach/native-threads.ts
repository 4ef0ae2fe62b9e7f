import {threadFlag, type Sample} from '../../model/sample.js';
import {printable, safe, type Printable} from '../../util/printable.js';
import {stateCode} from '../../model/thread-state.js';
import {kernelNameOf, threadIdsOf} from '../../jvm/threads/native-ids.js';
import type {ThreadCpu} from '../../jvm/threads/thread-cpu.js';

const listEveryMs = 1000;
const maxThreads = 4096;

/** Threads that no dump shows, because native libraries created them. Their names and CPU times are the kernel's. */
export class NativeThreads {
	readonly #pid: number;
	readonly #cpu: ThreadCpu;
	#listAtMs = 0;
	/** By Linux id: a thread's name, and the number of consecutive lists that had it although no dump showed it. */
	#threads = new Map<number, {readonly name: Printable; readonly lists: number}>();

	constructor(pid: number, cpu: ThreadCpu) {
		this.#pid = pid;
		this.#cpu = cpu;
	}

	/** Adds them to a sample of a dump's threads, whose native ids must be of our pid namespace. */
	add(into: Sample): void {
		const {count, nativeId, carrier} = into;
		const dumped = new Set(nativeId.subarray(0, count));
		// A platform thread of unknown id may be any of the others: add none.
		if (nativeId.subarray(0, count).some((id, row) => id <= 0 && carrier[row] < 0)) {
			return;
		}

		if (performance.now() >= this.#listAtMs) {
			this.#list(dumped);
			this.#listAtMs = performance.now() + listEveryMs;
		}

		for (const [id, {name, lists}] of this.#threads) {
			// `delta` also sets `lastResult` and `runDelayNs`.
			const usedNs = dumped.has(id) ? 0 : this.#cpu.delta(id);
			if (dumped.has(id) || this.#cpu.lastResult !== 'read') {
				this.#threads.delete(id);
				continue;
			}

			// After one list it may be a Java thread that is too new for any dump.
			const isNative = lists > 1;
			// The java launcher's first thread only waits for the one that runs main; that of another launcher may
			// work.
			const isIdleLauncher = id === this.#pid && usedNs === 0;
			if (isNative && !isIdleLauncher) {
				// The key, like that of the JVM's own threads, is negative: Java threads' are positive.
				const row = into.addThread(-id, id, name);
				into.flags[row] = threadFlag.vmInternal;
				into.state[row] = usedNs > 0 ? stateCode.RUNNABLE : stateCode.IDLE;
				into.cpuNs[row] = usedNs;
				into.runDelayNs[row] = this.#cpu.runDelayNs;
			}
		}
	}

	#list(dumped: ReadonlySet<number>): void {
		const others = threadIdsOf(this.#pid).filter(id => !dumped.has(id)).slice(0, maxThreads);
		this.#threads = new Map(others.map(id => {
			const {name, lists} = this.#threads.get(id) ?? {name: safe``, lists: 0};
			// The name is read with the second list: at first a thread has the name of its creator.
			return [id, {name: lists === 1 ? printable(kernelNameOf(this.#pid, id)) : name, lists: lists + 1}];
		}));
	}
}
