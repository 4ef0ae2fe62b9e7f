import {existsSync} from 'node:fs';
import {type JvmStacks} from '../../../model/jvm-stacks.js';
import {type Sample} from '../../../model/sample.js';
import {type Target} from '../../../jvm/target.js';
import {NativeIds} from '../../../jvm/threads/native-ids.js';
import {ProcessClock} from '../../../jvm/threads/process-clock.js';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {stateCode} from '../../../model/thread-state.js';
import {type HeapClock} from '../hotspot/heap.js';
import {type Vm} from '../hotspot/vm.js';
import {CpuTimes} from './cpu-times.js';
import {type JavaThread} from './java-thread.js';
import {JavaThreads} from './java-threads.js';
import {OtherThreadsIdle} from './other-threads-idle.js';
import {VmThreads} from './vm-threads.js';

/** CPU time that VM-internal threads may use between two samples that count as unchanged. */
const housekeepingNs = 1e6;

/** For this long after it ran, such a thread is watched: idle compiler threads wake every five seconds. */
const watchedMs = 6000;

/** The Java threads that both the JVM and the kernel list, with their CPU time. */
export class PresentThreads {
	/** Threads that may have changed in this sample. */
	readonly awake: JavaThread[] = [];
	/** The JVM's list of Java threads, and the process's other threads. */
	readonly java: JavaThreads;
	readonly vmThreads: VmThreads;
	readonly #pid: number;
	readonly #cpu: ThreadCpu;
	readonly #cpuTimes: CpuTimes;
	readonly #present: JavaThread[] = [];
	readonly #others: OtherThreadsIdle;
	readonly #steady = new SteadyThreads();
	/** Threads that may run while the others are idle; and whether this sample scans all threads. */
	readonly #watched: JavaThread[] = [];
	#isFull = true;
	/** No thread that was idle in the previous sample has run. */
	#onlyWatchedRan = false;
	/** Only watched threads have run. */
	#wereOthersIdle = false;

	constructor(vm: Vm, target: Target, cpu: ThreadCpu, of: {readonly clock: HeapClock; readonly jvmStacks: JvmStacks}) {
		this.#pid = target.pid;
		this.#cpu = cpu;
		this.#cpuTimes = new CpuTimes(cpu);
		this.#others = new OtherThreadsIdle(ProcessClock.of(target.pid), cpu);
		this.java = new JavaThreads(vm, new NativeIds(target));
		this.vmThreads = new VmThreads(target.pid, {...of, cpu, cpuTimes: this.#cpuTimes, memory: vm.reader.memory});
	}

	/** See `SampleOutcome`. */
	get changedNs(): number {
		return this.#steady.changedNs;
	}

	/**
	The current threads without those that have just ended, in an array that the next call reuses. Reads CPU times of
	threads that moved, have an event or are due. `hasWoken`: an idle thread is known to have run. Throws `Unreadable`
	if the list cannot be read.
	*/
	list(areAllDue: boolean, hasWoken = false): readonly JavaThread[] {
		this.awake.length = 0;
		const nowMs = performance.now();
		if (hasWoken) {
			this.#others.forget();
		}

		this.#isFull = areAllDue || !this.#others.areIdle(nowMs) || !this.#listWatched();
		if (this.#isFull) {
			this.#listAll(areAllDue);
		}

		this.#wereOthersIdle = !areAllDue && this.#others.wereIdle && this.#onlyWatchedRan;
		return this.#present;
	}

	/**
	Ends a sample: updates which threads are watched. Returns whether only threads without frames, briefly, and steadily
	running ones have run.
	*/
	done(sample: Sample): boolean {
		const nowMs = performance.now();
		this.#steady.update(this.awake, sample, nowMs);
		const isSteady = this.#isSteady() && !this.#steady.wasRecentlySteady(nowMs);
		if (this.#isFull) {
			this.#watch(nowMs);
		}

		return isSteady;
	}

	/** Whether a thread of the newest list still exists, so that its Linux id is its own. */
	isStillThere({nativeId}: JavaThread): boolean {
		return this.#cpu.read(nativeId) || (this.#cpu.reading === 'closed' && existsSync(`/proc/${this.#pid}/task/${nativeId}`));
	}

	/** Threads of the newest list that may be running now: they recently were, or had moved. */
	possiblyRunning(): readonly JavaThread[] {
		return this.#present.filter(({isThere, isInJava, hasMoved, cpu}) => isThere && (isInJava || hasMoved || cpu.dueMs === 0));
	}

	/** Marks a thread found running since it was listed. */
	wake(thread: JavaThread): void {
		thread.hasMoved = true;
		if (thread.hasValidRow || !this.awake.includes(thread)) {
			thread.hasValidRow = false;
			this.awake.push(thread);
		}
	}

	/** Sets which threads are watched from now on. */
	#watch(nowMs: number): void {
		const watched = this.#watched;
		const ranAfterMs = nowMs - watchedMs;
		watched.length = 0;
		for (const thread of this.#present) {
			thread.isWatched = !thread.hasValidRow || thread.hasEvent || thread.cpu.dueMs === 0 || (thread.cpu.activeUntilMs > ranAfterMs && hasNoFrames(thread));
			if (thread.isWatched) {
				watched.push(thread);
			}
		}

		const ids = [...watched.map(({nativeId}) => nativeId), ...this.vmThreads.watch()];
		this.#others.scanned(ids, this.#onlyWatchedRan && this.vmThreads.onlyWatchedRan, nowMs);
	}

	#isSteady(): boolean {
		let {usedNs} = this.vmThreads;
		for (const thread of this.#watched) {
			if (hasNoFrames(thread)) {
				usedNs += thread.cpu.usedNs;
			} else if (!isSteady(thread) && (thread.cpu.usedNs > 0 || thread.hasMoved)) {
				return false;
			}
		}

		return this.#wereOthersIdle && this.vmThreads.onlyWatchedRan && usedNs < housekeepingNs;
	}

	#listAll(areAllDue: boolean): void {
		const present = this.#present;
		present.length = 0;
		const listed = this.java.list();
		this.#cpuTimes.begin(areAllDue);
		this.#onlyWatchedRan = this.java.newThreads.length === 0;
		for (const found of listed) {
			const isDue = found.hasEvent || this.#cpuTimes.isDue(found.cpu);
			if (found.hasValidRow && !isDue) {
				present.push(found);
				continue;
			}

			const thread = this.#updateThread(found, isDue);
			if (thread.isThere || thread.nativeId === 0) {
				present.push(thread);
			}
		}
	}

	/** Reads the watched threads only; false if all must be scanned. */
	#listWatched(): boolean {
		if (!this.java.listAgain(this.#watched)) {
			return false;
		}

		this.#cpuTimes.begin(false);
		for (const found of this.#watched) {
			const thread = this.#updateThread(found, found.hasEvent || this.#cpuTimes.isDue(found.cpu));
			if (thread !== found || !(thread.isThere || thread.nativeId === 0)) {
				// It has just ended; the next sample shows its successor.
				this.#present.splice(this.#present.indexOf(found), 1);
				this.#others.forget();
			}
		}

		return true;
	}

	/** Reads a thread's CPU time if `isDue` or if it moved, and adds it to `awake` if it may have changed. */
	#updateThread(found: JavaThread, isDue: boolean): JavaThread {
		let thread = found;
		if (isDue || found.hasMoved || !found.isThere) {
			thread = this.#readCpu(found);
		} else {
			this.#cpuTimes.skip(thread.cpu);
		}

		if ((thread.isThere || thread.nativeId === 0) && (!thread.hasValidRow || thread.cpu.usedNs > 0)) {
			thread.hasValidRow = false;
			this.awake.push(thread);
			this.#onlyWatchedRan &&= thread.isWatched;
		}

		return thread;
	}

	/** Reads a thread's CPU time; returns the thread, or its successor if the kernel no longer knows it. */
	#readCpu(thread: JavaThread): JavaThread {
		this.#readOwnCpu(thread);
		if (thread.isThere) {
			return thread;
		}

		const successor = this.java.successorOf(thread);
		this.#readOwnCpu(successor);
		return successor;
	}

	/** CPU time is read below the target's own /proc directory, so only for threads of the target. */
	#readOwnCpu(thread: JavaThread): void {
		this.#cpuTimes.read(thread.cpu);
		const {reading} = this.#cpu;
		thread.isThere = reading === 'read' || (reading === 'closed' && thread.nativeId > 0 && existsSync(`/proc/${this.#pid}/task/${thread.nativeId}`));
	}
}

/** A thread without Java frames, such as a compiler thread. */
function hasNoFrames({stack: {frames, end}}: JavaThread): boolean {
	return frames.length === 0 && end === 'root';
}

/**
Minimum share of the time between two updates that a steadily running thread outside Java code was on a CPU or runnable.
A thread in Java code does not wait.
*/
const minShare = 0.75;

/** Minimum duration, nanoseconds, to count as steady. */
const minSteadyNs = 500e6;

/** Whether a thread runs steadily. */
export function isSteady({steadyNs}: JavaThread): boolean {
	return steadyNs >= minSteadyNs;
}

/** Detects threads that run steadily: while they do, each sample repeats the previous one. */
export class SteadyThreads {
	/**
	Longest time, nanoseconds, that a thread has been running or idle as it is now, if it was the opposite in the
	previous update; 0 if none changed.
	*/
	changedNs = 0;
	#updates = 0;
	/** When a steady thread was last found to have stopped. */
	#stoppedAtMs = Number.NEGATIVE_INFINITY;
	#atMs = Number.NaN;

	/** Whether a steady thread stopped recently; it may have done so only briefly, so samples are taken one by one. */
	wasRecentlySteady(nowMs: number): boolean {
		return nowMs - this.#stoppedAtMs < minSteadyNs / 1e6;
	}

	/** Updates with the threads that may have run; `sample` has their states. */
	update(awake: readonly JavaThread[], {state}: Sample, nowMs: number): void {
		const gapNs = (nowMs - this.#atMs) * 1e6;
		this.#updates++;
		this.#atMs = nowMs;
		this.changedNs = 0;
		for (const thread of awake) {
			const {cpu: {usedNs, waitNs}, isInJava} = thread;
			const ranNs = usedNs + waitNs;
			const wasRunning = thread.ranAtUpdate === this.#updates - 1;
			const isRunning = (usedNs > 0 || isInJava) && state[thread.row] === stateCode.RUNNABLE;
			const isSteadyNow = isRunning && wasRunning && thread.stack.carrierStart < 0 && (isInJava || ranNs >= minShare * gapNs);
			if (!isSteadyNow && isSteady(thread)) {
				this.#stoppedAtMs = nowMs;
			}

			thread.steadyNs = isSteadyNow ? thread.steadyNs + gapNs : 0;
			if (isRunning !== wasRunning) {
				this.changedNs = Math.max(this.changedNs, isRunning ? ranNs : Math.max(0, gapNs - ranNs) || 0);
			}

			if (isRunning) {
				thread.ranAtUpdate = this.#updates;
			}
		}
	}
}
