import {existsSync} from 'node:fs';
import {type JvmStacks} from '../../../model/jvm-stacks.js';
import {type Sample} from '../../../model/sample.js';
import {type Target} from '../../../jvm/target.js';
import {NativeIds} from '../../../jvm/threads/native-ids.js';
import {ProcessClock} from '../../../jvm/threads/process-clock.js';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {stateCode} from '../../../model/thread-state.js';
import {type Jvm} from '../hotspot/jvm.js';
import {CpuTimes} from './cpu-times.js';
import {type JavaThread} from './java-thread.js';
import {JavaThreads} from './java-threads.js';
import {OtherThreadsIdle} from './other-threads-idle.js';
import {VmThreads} from './vm-threads.js';

/** A sample still counts as steady if threads without frames (compiler threads...) used less since the previous one. */
const housekeepingNs = 1e6;

/** How long a thread without frames is watched after it ran: idle compiler threads wake every five seconds. */
const watchedMs = 6000;

/** The JVM's Java threads with their CPU time, without those that the kernel no longer lists. */
export class PresentThreads {
	/** Threads of this sample that may have changed, so that their rows must be filled again. */
	readonly changedThreads: JavaThread[] = [];
	/** The JVM's Java threads, and the process's other threads. */
	readonly java: JavaThreads;
	readonly vmThreads: VmThreads;
	readonly steady = new SteadyThreads();
	readonly #pid: number;
	readonly #cpuTimes: CpuTimes;
	readonly #present: JavaThread[] = [];
	readonly #others: OtherThreadsIdle;
	readonly #watched: JavaThread[] = [];
	#readsAll = true;
	/** Of the Java threads that were read, only watched ones have run, and there are no new ones. */
	#onlyWatchedRan = false;
	/** The same of all threads of the process. */
	#onlyWatchedOfProcessRan = false;

	constructor(jvm: Jvm, target: Target, readonly cpu: ThreadCpu, jvmStacks: JvmStacks) {
		this.#pid = target.pid;
		this.#cpuTimes = new CpuTimes(cpu);
		this.#others = new OtherThreadsIdle(ProcessClock.of(target.pid), cpu);
		this.java = new JavaThreads(jvm.vm, new NativeIds(target));
		this.vmThreads = new VmThreads(jvm, target.pid, {cpu, cpuTimes: this.#cpuTimes, jvmStacks});
	}

	/**
	Returns the present threads in an array that the next call reuses. Reads the CPU times of threads that moved, have
	an event or are due. Throws `Unreadable` if the list cannot be read.
	*/
	list(areAllDue: boolean, unchangedThreadRan = false): readonly JavaThread[] {
		this.changedThreads.length = 0;
		const nowMs = performance.now();
		if (unchangedThreadRan) {
			this.#others.forget();
		}

		this.#readsAll = areAllDue || !this.#others.areIdle(nowMs) || !this.#listWatched();
		if (this.#readsAll) {
			this.#listAll(areAllDue);
		}

		this.#onlyWatchedOfProcessRan = !areAllDue && this.#others.wereIdle && this.#onlyWatchedRan;
		return this.#present;
	}

	/**
	Ends a sample and updates which threads are watched. Returns whether only steadily running threads and, briefly,
	threads without frames have run.
	*/
	endSample(sample: Sample): boolean {
		const nowMs = performance.now();
		this.steady.update(this.changedThreads, sample, nowMs);
		const isSteady = this.#isSampleSteady() && !this.steady.hasSteadyThreadStopped(nowMs);
		if (this.#readsAll) {
			this.#watch(nowMs);
		}

		return isSteady;
	}

	/** Whether a thread of the newest list still exists, so that its Linux id is not another's. */
	stillExists({nativeId}: JavaThread): boolean {
		return this.cpu.read(nativeId) || (this.cpu.lastResult === 'unreadable' && existsSync(`/proc/${this.#pid}/task/${nativeId}`));
	}

	/** Returns threads of the newest list that may be running now: they recently were, or had moved. */
	possiblyRunning(): readonly JavaThread[] {
		return this.#present.filter(({exists, isInJava, hasMoved, cpu}) => exists && (isInJava || hasMoved || cpu.isActive));
	}

	/** Adds a thread to `changedThreads` that was found running after it was listed. */
	addRunning(thread: JavaThread): void {
		thread.hasMoved = true;
		if (thread.hasValidRow || !this.changedThreads.includes(thread)) {
			thread.hasValidRow = false;
			this.changedThreads.push(thread);
		}
	}

	#watch(nowMs: number): void {
		const watched = this.#watched;
		const ranAfterMs = nowMs - watchedMs;
		watched.length = 0;
		for (const thread of this.#present) {
			thread.isWatched = !thread.hasValidRow || thread.hasEvent || thread.cpu.isActive || (thread.cpu.activeUntilMs > ranAfterMs && hasNoFrames(thread));
			if (thread.isWatched) {
				watched.push(thread);
			}
		}

		const ids = [...watched.map(({nativeId}) => nativeId), ...this.vmThreads.watch()];
		this.#others.afterScan(ids, this.#onlyWatchedRan && this.vmThreads.onlyWatchedRan, nowMs);
	}

	#isSampleSteady(): boolean {
		let {usedNs} = this.vmThreads;
		for (const thread of this.#watched) {
			if (hasNoFrames(thread)) {
				usedNs += thread.cpu.usedNs;
			} else if (!isSteadyThread(thread) && (thread.cpu.usedNs > 0 || thread.hasMoved)) {
				return false;
			}
		}

		return this.#onlyWatchedOfProcessRan && this.vmThreads.onlyWatchedRan && usedNs < housekeepingNs;
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
			if (isPresent(thread)) {
				present.push(thread);
			}
		}
	}

	#listWatched(): boolean {
		if (!this.java.listAgain(this.#watched)) {
			return false;
		}

		this.#cpuTimes.begin(false);
		for (const found of this.#watched) {
			const thread = this.#updateThread(found, found.hasEvent || this.#cpuTimes.isDue(found.cpu));
			if (thread !== found || !isPresent(thread)) {
				// The thread just ended; the next sample shows its successor.
				this.#present.splice(this.#present.indexOf(found), 1);
				this.#others.forget();
			}
		}

		return true;
	}

	/** Reads a thread's CPU time if necessary; lists the thread, or its successor, if it may have changed. */
	#updateThread(found: JavaThread, isDue: boolean): JavaThread {
		let thread = found;
		if (isDue || found.hasMoved || !found.exists) {
			thread = this.#readCpu(found);
		} else {
			this.#cpuTimes.skip(thread.cpu);
		}

		if (isPresent(thread) && (!thread.hasValidRow || thread.cpu.usedNs > 0)) {
			thread.hasValidRow = false;
			this.changedThreads.push(thread);
			this.#onlyWatchedRan &&= thread.isWatched;
		}

		return thread;
	}

	/** Reads a thread's CPU time; returns the thread, or its successor if the kernel no longer knows it. */
	#readCpu(thread: JavaThread): JavaThread {
		this.#readExisting(thread);
		if (thread.exists) {
			return thread;
		}

		const successor = this.java.successorOf(thread);
		this.#readExisting(successor);
		return successor;
	}

	/** Reads a thread's CPU time below /proc/PID/task, which has only threads of the target. Sets `exists`. */
	#readExisting(thread: JavaThread): void {
		this.#cpuTimes.read(thread.cpu);
		const {lastResult} = this.cpu;
		// Unreadable: the kernel has no schedstat, or too many files are open.
		thread.exists = lastResult === 'read' || (lastResult === 'unreadable' && thread.nativeId > 0 && existsSync(`/proc/${this.#pid}/task/${thread.nativeId}`));
	}
}

/** The kernel cannot confirm a thread whose Linux id is unknown (0). */
function isPresent({exists, nativeId}: JavaThread): boolean {
	return exists || nativeId === 0;
}

function hasNoFrames({stack: {frames, end}}: JavaThread): boolean {
	return frames.length === 0 && end === 'root';
}

/**
Minimum share of the time between two updates that a steadily running thread outside Java code is on a CPU or runnable.
A thread in Java code does not wait, so it needs no minimum.
*/
const minShare = 0.75;

/** How long a thread must have run without a break to count as steady. */
const minSteadyNs = 500e6;

export function isSteadyThread({steadyNs}: JavaThread): boolean {
	return steadyNs >= minSteadyNs;
}

/** Detects threads that run steadily: while they do, each sample repeats the previous one. */
export class SteadyThreads {
	/** The longest time since a thread started or stopped running after the previous update, nanoseconds; 0 if none did. */
	sinceChangeNs = 0;
	#updates = 0;
	#steadyStoppedAtMs = Number.NEGATIVE_INFINITY;
	#atMs = Number.NaN;

	/** Whether a steady thread stopped recently. It may run again at once, so there is no idle back-off for a while. */
	hasSteadyThreadStopped(nowMs: number): boolean {
		return nowMs - this.#steadyStoppedAtMs < minSteadyNs / 1e6;
	}

	/** Updates threads that may have run. The sample contains their states. */
	update(changedThreads: readonly JavaThread[], {state}: Sample, nowMs: number): void {
		const gapNs = (nowMs - this.#atMs) * 1e6;
		this.#updates++;
		this.#atMs = nowMs;
		this.sinceChangeNs = 0;
		for (const thread of changedThreads) {
			const {cpu: {usedNs, runDelayNs}, isInJava} = thread;
			const ranNs = usedNs + runDelayNs;
			const wasRunning = thread.ranAtUpdate === this.#updates - 1;
			const isRunning = (usedNs > 0 || isInJava) && state[thread.row] === stateCode.RUNNABLE;
			// A carrier is never steady, as it may get another virtual thread.
			const isSteadyNow = isRunning && wasRunning && !thread.stack.hasVirtualThread && (isInJava || ranNs >= minShare * gapNs);
			if (!isSteadyNow && isSteadyThread(thread)) {
				this.#steadyStoppedAtMs = nowMs;
			}

			thread.steadyNs = isSteadyNow ? thread.steadyNs + gapNs : 0;
			if (isRunning !== wasRunning) {
				// A thread that started has run ever since; one that stopped had run until then.
				this.sinceChangeNs = Math.max(this.sinceChangeNs, isRunning ? ranNs : Math.max(0, gapNs - ranNs));
			}

			if (isRunning) {
				thread.ranAtUpdate = this.#updates;
			}
		}
	}
}
