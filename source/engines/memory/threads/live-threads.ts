import {existsSync} from 'node:fs';
import {type JvmStacks} from '../../../model/jvm-stacks.js';
import {type Sample} from '../../../model/sample.js';
import {type Target} from '../../../jvm/target.js';
import {NativeIds} from '../../../jvm/threads/native-ids.js';
import {openProcessClock} from '../../../jvm/threads/process-clock.js';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {type Jvm} from '../hotspot/jvm.js';
import {CpuTimes} from './cpu-times.js';
import {type JavaThread} from './java-thread.js';
import {JavaThreads} from './java-threads.js';
import {SteadyThreads} from './steady-threads.js';
import {UnwatchedThreads, watchedLimit, watchedMs} from './unwatched-threads.js';
import {VmThreads} from './vm-threads.js';

/** A sample still counts as steady if threads without frames (compilers...) used less than this since the last one. */
const housekeepingNs = 1e6;

/**
Lists the JVM's Java threads with their CPU time, without those that the kernel no longer lists. `UnwatchedThreads`
makes samples cheaper; `SteadyThreads` and `Backoff` (in the sampler) make them rarer. No two of them alone keep
our own CPU time within its bounds (bench/README.md), so there are three.
*/
export class LiveThreads {
	/** Threads of this sample that may have changed, so that their rows must be filled again. */
	readonly changedThreads: JavaThread[] = [];
	/** The JVM's Java threads, and the process's other threads. */
	readonly java: JavaThreads;
	readonly vmThreads: VmThreads;
	readonly steady = new SteadyThreads();
	readonly #pid: number;
	readonly #cpuTimes: CpuTimes;
	/** The newest list. */
	readonly #live: JavaThread[] = [];
	readonly #unwatched: UnwatchedThreads;
	/** Threads that may run at any time, or more than `watchedLimit` of them; see `UnwatchedThreads`. */
	readonly #watched = new Set<JavaThread>();
	/** This sample scans all threads, not only the watched ones. */
	#scansAll = true;
	/** Of the Java threads that were read, only watched ones have run, and there are no new ones. */
	#onlyWatchedRan = false;
	/** The same of all threads of the process. */
	#onlyWatchedOfProcessRan = false;

	constructor(jvm: Jvm, target: Target, readonly cpu: ThreadCpu, jvmStacks: JvmStacks) {
		this.#pid = target.pid;
		this.#cpuTimes = new CpuTimes(cpu);
		this.#unwatched = new UnwatchedThreads(openProcessClock(target.pid), cpu);
		this.java = new JavaThreads(jvm.vm, new NativeIds(target));
		this.vmThreads = new VmThreads(jvm, target.pid, {cpu, cpuTimes: this.#cpuTimes, jvmStacks});
	}

	/**
	Returns the live threads in an array that the next call reuses. Reads the CPU times of threads that moved, are
	recorded or due; of all, if `areAllDue`. `settledThreadRan`: a settled thread has records. Throws
	`Unreadable` if the list cannot be read.
	*/
	list({areAllDue, settledThreadRan}: {
		readonly areAllDue: boolean;
		readonly settledThreadRan: boolean;
	}): readonly JavaThread[] {
		this.changedThreads.length = 0;
		const nowMs = performance.now();
		if (settledThreadRan) {
			this.#unwatched.forget();
		}

		this.#scansAll = areAllDue || !this.#unwatched.areInactive(nowMs) || !this.#listWatched();
		if (this.#scansAll) {
			this.#listAll(areAllDue);
		}

		this.#onlyWatchedOfProcessRan = !areAllDue && this.#unwatched.wereInactive && this.#onlyWatchedRan;
		return this.#live;
	}

	/** Returns the newest list, in an array that the next one reuses. */
	get newest(): readonly JavaThread[] {
		return this.#live;
	}

	/** Ends a sample. Returns whether only steadily running threads and, briefly, threads without frames have run. */
	endSample(sample: Sample): boolean {
		const nowMs = performance.now();
		this.steady.update(this.changedThreads, sample, nowMs);
		const isSteady = this.#isSampleSteady() && !this.steady.hasSteadyThreadStopped(nowMs);
		if (this.#scansAll) {
			this.#chooseWatched(nowMs);
		}

		return isSteady;
	}

	/** Whether a thread of the newest list still exists, so that its Linux id is not another's. */
	stillExists({nativeId}: JavaThread): boolean {
		return this.cpu.read(nativeId) || this.#hasUnreadableCpu(nativeId);
	}

	/** Returns threads of the newest list that may be running now: they recently were, or had moved. */
	possiblyRunning(): readonly JavaThread[] {
		return this.#live.filter(({presence, isInJava, place, cpu}) =>
			presence.exists && (isInJava || place.hasMoved || cpu.isActive));
	}

	/** Adds a thread to `changedThreads` that was found running after it was listed. */
	addRunning(thread: JavaThread): void {
		thread.place.setMoved(true);
		if (!this.changedThreads.includes(thread)) {
			this.changedThreads.push(thread);
		}
	}

	#chooseWatched(nowMs: number): void {
		const watched = this.#watched;
		const ranAfterMs = nowMs - watchedMs;
		watched.clear();
		for (const thread of this.#live) {
			if (watched.size > watchedLimit) {
				break;
			}

			if (
				!thread.isSettled || thread.cpu.isActive
				|| (thread.cpu.activeUntilMs > ranAfterMs && hasNoFrames(thread))
			) {
				watched.add(thread);
			}
		}

		const ids = [...Array.from(watched, ({nativeId}) => nativeId), ...this.vmThreads.watch()];
		this.#unwatched.afterScan(ids, this.#onlyWatchedRan && this.vmThreads.onlyWatchedRan, nowMs);
	}

	#isSampleSteady(): boolean {
		let {usedNs} = this.vmThreads;
		for (const thread of this.#watched) {
			if (hasNoFrames(thread)) {
				usedNs += thread.cpu.usedNs;
			} else if (!this.steady.isSteady(thread) && (thread.cpu.usedNs > 0 || thread.place.hasMoved)) {
				return false;
			}
		}

		return this.#onlyWatchedOfProcessRan && this.vmThreads.onlyWatchedRan && usedNs < housekeepingNs;
	}

	#listAll(areAllDue: boolean): void {
		const live = this.#live;
		live.length = 0;
		const listed = this.java.list();
		this.#cpuTimes.begin(areAllDue);
		this.#onlyWatchedRan = this.java.newThreads.length === 0;
		for (const found of listed) {
			const isDue = found.records.isRecorded || this.#cpuTimes.isDue(found.cpu);
			const thread = found.isSettled && !isDue ? found : this.#updateThread(found, isDue);
			if (isLive(thread)) {
				live.push(thread);
			}
		}
	}

	/** Reads only the watched threads again; returns false if one of them has ended. */
	#listWatched(): boolean {
		if (!this.java.listAgain(this.#watched)) {
			return false;
		}

		this.#cpuTimes.begin(false);
		for (const found of this.#watched) {
			const thread = this.#updateThread(found, found.records.isRecorded || this.#cpuTimes.isDue(found.cpu));
			if (thread !== found || !isLive(thread)) {
				// The thread just ended; the next sample shows its successor.
				this.#live.splice(this.#live.indexOf(found), 1);
				this.#unwatched.forget();
			}
		}

		return true;
	}

	/** Reads a thread's CPU time if necessary; lists the thread, or its successor, if it may have changed. */
	#updateThread(found: JavaThread, isDue: boolean): JavaThread {
		let thread = found;
		if (isDue || found.place.hasMoved || !found.presence.exists) {
			thread = this.#readCpu(found);
		} else {
			this.#cpuTimes.skip(thread.cpu);
		}

		if (isLive(thread) && !thread.isSettled) {
			this.changedThreads.push(thread);
			this.#onlyWatchedRan &&= this.#watched.has(thread);
		}

		return thread;
	}

	/** Reads a thread's CPU time; returns the thread, or its successor if the kernel no longer knows it. */
	#readCpu(thread: JavaThread): JavaThread {
		this.#readExisting(thread);
		if (thread.presence.exists) {
			return thread;
		}

		const successor = this.java.successorOf(thread);
		this.#readExisting(successor);
		return successor;
	}

	/** Reads a thread's CPU time below /proc/PID/task, which has only threads of the target. Sets `exists`. */
	#readExisting(thread: JavaThread): void {
		this.#cpuTimes.read(thread.cpu);
		thread.presence.setExists(this.cpu.lastResult === 'read' || this.#hasUnreadableCpu(thread.nativeId));
	}

	/** Whether a thread whose CPU time was not read exists: the kernel has no schedstat, or too many files are open. */
	#hasUnreadableCpu(nativeId: number): boolean {
		return this.cpu.lastResult === 'unreadable' && nativeId > 0
			&& existsSync(`/proc/${this.#pid}/task/${nativeId}`);
	}
}

/** The kernel cannot confirm a thread whose Linux id is unknown (0). */
function isLive({presence, nativeId}: JavaThread): boolean {
	return presence.exists || nativeId === 0;
}

function hasNoFrames({stack: {frames, end}}: JavaThread): boolean {
	return frames.length === 0 && end === 'root';
}
