import {jvmWork, workOf, type JvmStacks} from '../../../model/jvm-stacks.js';
import {threadFlag, type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {threadIdsOf, kernelNameOf} from '../../../jvm/threads/native-ids.js';
import type {ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {objectsMayMove} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {libraryOfThread} from '../target/native-code.js';
import {matchesKernelName, printable, safe, type Printable} from '../../../util/printable.js';
import {SampleRow, type RowCache} from './row-cache.js';
import {ShownState} from './shown-state.js';
import {PartOwner, type ThreadPart} from './thread-part.js';
import {countsAsRunning, CpuTime, type CpuTimes} from './cpu-times.js';
import {type JavaThread} from './java-thread.js';
import {watchedMs} from './unwatched-threads.js';

/** Interval between lists of the process's threads: at least this, and this multiple of the time that a list takes. */
const listEveryMs = 500;
const listMultiple = 500;

/** Interval between searches for a native thread's library, which may be unknown while the thread runs. */
const searchEveryMs = 5000;

const libraryOfVm = 'libjvm.so';
const threadLimit = 20_000;

/** The thread that runs all or part of the work of stop-the-world collectors, and other operations of the VM. */
const vmThreadName = 'VM Thread';

/** VM thread names, unique in a JVM, that the kernel truncates. */
const longNames = [
	safe`VM Periodic Task Thread`, safe`Shenandoah Control Thread`, safe`StringDedupThread`, safe`StringDedupProcessor`,
];

class VmThread extends PartOwner {
	readonly cpu: CpuTime;
	readonly state = new ShownState(this);
	readonly row = new SampleRow();
	/** Number of lists that had it. */
	lists = 0;
	/** When it last ran (performance.now). */
	ranMs = Number.NEGATIVE_INFINITY;
	isWatched = false;
	/** See `libraryOfThread`; searched for again from `nextSearchMs` on. */
	library?: string;
	nextSearchMs = 0;

	/** `isNew`: it started after the first list. */
	constructor(nativeId: number, public name: Printable, readonly isNew: boolean) {
		super();
		this.cpu = new CpuTime(this, nativeId);
	}

	protected get parts(): ReadonlyArray<ThreadPart<object>> {
		return [this.cpu, this.state];
	}
}

/** `repeats`: number of intervals that the sample covers; `stackPointers`: see `PerfTimer`. */
type AddInput = {
	readonly java: readonly JavaThread[];
	readonly newThreads: readonly JavaThread[];
	readonly repeats: number;
	readonly stackPointers?: ReadonlyMap<number, number>;
};

/**
Threads of the process that are not Java threads: collectors, the VM Thread, native libraries' threads. They have no
frames, and the kernel's names, completed if the full name is unique.
*/
export class VmThreads {
	/** Only watched threads have run in the newest sample. */
	onlyWatchedRan = false;
	/** CPU time that all threads used in the newest sample. */
	usedNs = 0;
	readonly #jvm: Jvm;
	readonly #pid: number;
	readonly #cpu: ThreadCpu;
	readonly #cpuTimes: CpuTimes;
	readonly #stacks: JvmStacks;
	/** Count of collections when the VM Thread was last found to have used CPU time. */
	#collections = Number.NaN;
	#listAtMs = Number.NEGATIVE_INFINITY;
	#threads = new Map<number, VmThread>();

	constructor(
		jvm: Jvm,
		pid: number,
		{cpu, cpuTimes, jvmStacks}: {
			readonly cpu: ThreadCpu;
			readonly cpuTimes: CpuTimes;
			readonly jvmStacks: JvmStacks;
		},
	) {
		this.#jvm = jvm;
		this.#pid = pid;
		this.#cpu = cpu;
		this.#cpuTimes = cpuTimes;
		this.#stacks = jvmStacks;
	}

	/** Adds these threads to a sample. `newThreads`: Java threads listed for the first time. */
	add(into: Sample, rows: RowCache, {java, newThreads, repeats, stackPointers}: AddInput): void {
		const nowMs = performance.now();
		this.onlyWatchedRan = true;
		this.usedNs = 0;
		if (nowMs > this.#listAtMs) {
			const isFirst = this.#threads.size === 0;
			this.#list(new Set(java.map(thread => thread.nativeId)));
			const listedMs = performance.now();
			// Until the second list, threads may be about to become Java threads, and no sample counts as unchanged.
			this.#listAtMs = listedMs
				+ (isFirst ? listEveryMs : Math.max(listEveryMs, listMultiple * (listedMs - nowMs)));
		}

		for (const {nativeId} of newThreads) {
			this.#threads.delete(nativeId);
		}

		for (const thread of this.#threads.values()) {
			// A new thread may be about to become a Java thread: it counts as the JVM's own from its second list on.
			if (thread.lists < 2) {
				this.onlyWatchedRan = false;
				continue;
			}

			const hasEnded = !this.#readCpu(thread, nowMs);
			const {nativeId, usedNs} = thread.cpu;
			// The launcher's first thread only waits for the one that runs main, unless it is a program's own.
			const isLauncher = nativeId === this.#pid && usedNs === 0 && thread.row.index === -1;
			thread.state.setState(countsAsRunning(thread.cpu, repeats) ? stateCode.RUNNABLE : stateCode.IDLE, true);
			if (!hasEnded && !isLauncher && !rows.reuse(thread)) {
				rows.setFilled(thread, this.#addRow(into, thread, stackPointers?.get(nativeId)));
			}
		}
	}

	/** Marks threads that ran recently as watched; returns their Linux ids. */
	watch(): number[] {
		const nowMs = performance.now();
		const ids: number[] = [];
		for (const thread of this.#threads.values()) {
			thread.isWatched = nowMs - thread.ranMs < watchedMs;
			if (thread.isWatched) {
				ids.push(thread.cpu.nativeId);
			}
		}

		return ids;
	}

	/** Reads a thread's CPU time if it is due; returns false, and removes the thread, if it has ended. */
	#readCpu(thread: VmThread, nowMs: number): boolean {
		const {cpu} = thread;
		this.#cpuTimes.skip(cpu);
		if (this.#cpuTimes.isDue(cpu)) {
			this.#cpuTimes.read(cpu, thread.isNew ? Infinity : 0);
			if (this.#cpu.lastResult === 'gone') {
				this.#threads.delete(cpu.nativeId);
				return false;
			}
		}

		if (cpu.usedNs > 0) {
			thread.ranMs = nowMs;
			this.usedNs += cpu.usedNs;
			this.onlyWatchedRan &&= thread.isWatched;
		}

		return true;
	}

	/** Adds a thread's row, and returns its index. */
	#addRow(into: Sample, thread: VmThread, sp: number | undefined): number {
		const {cpu: {nativeId, usedNs, runDelayNs}} = thread;
		const row = into.addThread(-nativeId, nativeId, thread.name);
		into.flags[row] = threadFlag.vmInternal;
		into.cpuNs[row] = usedNs;
		into.runDelayNs[row] = runDelayNs;
		into.state[row] = thread.state.code;
		if (usedNs > 0) {
			this.#attribute(into, row, thread, sp);
		}

		return row;
	}

	/** Attributes CPU time whose purpose the name alone does not show: the VM Thread's and native threads'. */
	#attribute(into: Sample, row: number, thread: VmThread, sp: number | undefined): void {
		const {name, cpu: {nativeId, usedNs}} = thread;
		if (name === vmThreadName && this.#hasCollected()) {
			into.addAttributedCpu(row, usedNs, this.#stacks.of(jvmWork.gc, name));
		} else if (workOf(name) === jvmWork.native) {
			const nowMs = performance.now();
			if (thread.library === undefined && nowMs >= thread.nextSearchMs) {
				thread.nextSearchMs = nowMs + searchEveryMs;
				thread.library = libraryOfThread(this.#pid, nativeId, this.#jvm.memory, sp);
			}

			into.addAttributedCpu(
				row,
				usedNs,
				thread.library === libraryOfVm
					? this.#stacks.of(jvmWork.vm, name)
					: this.#stacks.ofThread(name, thread.library),
			);
		}
	}

	/** Whether there was a stop-the-world collection since the last call, or one is under way. */
	#hasCollected(): boolean {
		const collections = this.#jvm.collections.count();
		const before = this.#collections;
		this.#collections = collections;
		return this.#jvm.collections.isRunning()
			|| (collections !== objectsMayMove && collections !== before && !Number.isNaN(before));
	}

	/** Lists the process's threads that are not among the Java threads, by their Linux ids. */
	#list(java: ReadonlySet<number>): void {
		const isFirst = this.#threads.size === 0;
		// Until a thread sets its name it has its creator's, and may become a Java thread. In the first list,
		// therefore, a thread with another name than the launcher's counts as if it had been listed before.
		const launcher = isFirst ? this.#name(this.#pid) : '';
		const threads = new Map<number, VmThread>();
		for (const nativeId of threadIdsOf(this.#pid).slice(0, threadLimit)) {
			if (nativeId > 0 && !java.has(nativeId)) {
				const thread = this.#threads.get(nativeId) ?? this.#newThread(nativeId, isFirst, launcher);
				threads.set(nativeId, thread);
				thread.lists++;
				// A thread has set its name by its second list.
				thread.name = thread.lists === 2 ? this.#name(nativeId) : thread.name;
			}
		}

		this.#threads = threads;
	}

	#newThread(nativeId: number, isFirst: boolean, launcher: string): VmThread {
		const name = this.#name(nativeId);
		const thread = new VmThread(nativeId, name, !isFirst && !this.#cpu.knows(nativeId));
		thread.lists = isFirst && name !== launcher ? 1 : 0;
		return thread;
	}

	#name(nativeId: number): Printable {
		const name = kernelName(this.#pid, nativeId);
		return longNames.find(long => matchesKernelName(name, long)) ?? name;
	}
}

/** Returns a thread's name in the kernel, printable; empty if unreadable. HotSpot sets it when a thread starts. */
export function kernelName(pid: number, nativeId: number): Printable {
	return printable(kernelNameOf(pid, nativeId));
}
