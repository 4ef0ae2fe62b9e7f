import {existsSync} from 'node:fs';
import {type Sample} from '../../../model/sample.js';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {type Calm} from '../../engine.js';
import {watch, type CpuTurns} from './cpu-turns.js';
import {type JavaThread} from './java-thread.js';
import {type JavaThreads} from './java-threads.js';
import {type OthersAtRest} from './others-at-rest.js';
import {isAboutToStall} from './stalls.js';
import {runsOn, Steadiness} from './steadiness.js';
import {type VmThreads} from './vm-threads.js';

/** What the threads of which none stands at a line may use between two samples in which nothing happened. */
const housekeepingNs = 1e6;

/** One of them that ran may run at any time for so long: those that compile look for work every five seconds. */
const watchedMs = 6000;

/** The Java threads that the JVM lists and the kernel knows too, with the CPU time that each used. */
export class PresentThreads {
	/** Those of them that have something to be done for; the others are as they were. */
	readonly awake: JavaThread[] = [];
	readonly #pid: number;
	readonly #threads: JavaThreads;
	readonly #cpu: ThreadCpu;
	readonly #turns: CpuTurns;
	readonly #present: JavaThread[] = [];
	readonly #others: OthersAtRest;
	readonly #steadiness = new Steadiness();
	/** Those that may run while the others are at rest, and whether everybody is looked at in this sample. */
	readonly #watched: JavaThread[] = [];
	#isFull = true;
	/** No thread that was at rest at the look before was found to have done anything. */
	#isCalm = false;
	/** Nobody had run but those that are watched, of which none stands at a line. */
	#hasRested = false;
	/** Nobody had run but those that are watched, whoever they are. */
	#haveOthersRested = false;
	/** As long as nobody runs, the newest sample would be filled in the same way again. */
	#isLasting = false;

	constructor(pid: number, threads: JavaThreads, parts: {readonly cpu: ThreadCpu; readonly turns: CpuTurns; readonly others: OthersAtRest}) {
		this.#pid = pid;
		this.#threads = threads;
		this.#cpu = parts.cpu;
		this.#turns = parts.turns;
		this.#others = parts.others;
	}

	/**
	Whether the sample before would be filled in the same way now: nobody has run since but threads that stand at no line,
	and these for so short a time that the next one which is filled may tell of it. All are looked at every few seconds.
	*/
	isStill(): boolean {
		return this.#isLasting && this.#others.areStill(performance.now(), housekeepingNs);
	}

	/** See `SampleOutcome`. */
	get changedNs(): number {
		return this.#steadiness.changedNs;
	}

	/**
	Those of this moment, without those that have just ended, in an array that the next call uses again. CPU time is
	read of those that moved or have an event, and of those whose turn it is, or of all. `hasWoken`: a thread that was at
	rest is known to have run. Throws `Unreadable` when the list cannot be read.
	*/
	list(isEveryonesTurn: boolean, hasWoken = false): readonly JavaThread[] {
		this.awake.length = 0;
		this.#cpu.endMoment();
		const nowMs = performance.now();
		if (hasWoken) {
			this.#others.forget();
		}

		this.#isFull = isEveryonesTurn || !this.#others.areAtRest(nowMs) || !this.#listWatched();
		if (this.#isFull) {
			this.#listAll(isEveryonesTurn);
		}

		// Where that cannot be told for once, the next look that tells does so for this one, too (others-at-rest).
		this.#haveOthersRested = !isEveryonesTurn && (this.#others.haveOthersRested || !this.#isFull) && this.#isCalm;
		this.#hasRested = !isEveryonesTurn && this.#others.haveRested && this.#isCalm && this.#watched.every(thread => standsNowhere(thread) || (thread.cpuNs === 0 && !thread.hasMoved));
		return this.#present;
	}

	/**
	The sample is filled: looks who may run until the next one, of the JVM's own threads too. Whether nobody had run since
	the sample before but threads that stand at no line, and these for a moment ('rest'); or that and threads that run on
	and on ('steady').
	*/
	done(jvmThreads: VmThreads, sample: Sample): Calm | undefined {
		const usedNs = this.#watched.reduce((sum, {cpuNs}) => sum + cpuNs, jvmThreads.usedNs);
		const isAtRest = this.#hasRested && usedNs < housekeepingNs;
		const nowMs = performance.now();
		this.#steadiness.look(this.awake, sample, nowMs);
		// Who used CPU time may be RUNNABLE for it, and who stands still inside the VM is taken to wait after a while.
		this.#isLasting = isAtRest && usedNs === 0 && jvmThreads.isCalm && !this.#watched.some(thread => isAboutToStall(thread, nowMs));
		const calm = isAtRest ? 'rest' : (this.#isSteady(jvmThreads) ? 'steady' : undefined);
		if (this.#isFull) {
			this.#watch(jvmThreads, nowMs);
		}

		return this.#steadiness.isBroken(nowMs) ? undefined : calm;
	}

	/** Whether a thread of the newest list has not ended since, so that its Linux id is still its own. */
	isStillThere({nativeId}: JavaThread): boolean {
		return this.#cpu.read(nativeId) || (this.#cpu.reading === 'closed' && existsSync(`/proc/${this.#pid}/task/${nativeId}`));
	}

	/** Those of the newest list that may be at work by now: they were lately, or did not stand where they stood. */
	lively(): readonly JavaThread[] {
		return this.#present.filter(({isThere, isInJava, hasMoved, cpuDueMs}) => isThere && (isInJava || hasMoved || cpuDueMs === 0));
	}

	/** A thread was found to be at work since they were listed. */
	wake(thread: JavaThread): void {
		thread.hasMoved = true;
		if (thread.isSettled || !this.awake.includes(thread)) {
			thread.isSettled = false;
			this.awake.push(thread);
		}
	}

	/** Looks who may run at any time from now on. */
	#watch(jvmThreads: VmThreads, nowMs: number): void {
		const watched = this.#watched;
		const ranLaterMs = nowMs - watchedMs;
		watched.length = 0;
		for (const thread of this.#present) {
			if (watch(thread, !thread.isSettled || thread.hasEvent || thread.cpuDueMs === 0 || (thread.livelyUntilMs > ranLaterMs && standsNowhere(thread)))) {
				watched.push(thread);
			}
		}

		const atLines = watched.filter(thread => !standsNowhere(thread)).map(({nativeId}) => nativeId);
		const nowhere = watched.filter(thread => standsNowhere(thread)).map(({nativeId}) => nativeId);
		this.#others.looked({atLines, nowhere: [...nowhere, ...jvmThreads.watch()]}, this.#present.length, this.#isCalm && jvmThreads.isCalm, nowMs);
	}

	#isSteady(jvmThreads: VmThreads): boolean {
		let {usedNs} = jvmThreads;
		for (const thread of this.#watched) {
			if (standsNowhere(thread)) {
				usedNs += thread.cpuNs;
			} else if (!runsOn(thread) && (thread.cpuNs > 0 || thread.hasMoved)) {
				return false;
			}
		}

		return this.#haveOthersRested && jvmThreads.isCalm && usedNs < housekeepingNs;
	}

	#listAll(isEveryonesTurn: boolean): void {
		const present = this.#present;
		present.length = 0;
		const listed = this.#threads.list();
		this.#turns.begin(isEveryonesTurn, this.#others.sinceMs);
		this.#isCalm = this.#threads.newcomers.length === 0;
		for (const found of listed) {
			const isAsked = found.hasEvent || (this.#turns.isDue(found) && !(found.isSettled && !found.isWatched && this.#turns.canPass(found)));
			if (found.isSettled && !isAsked) {
				present.push(found);
				continue;
			}

			const thread = this.#lookAt(found, isAsked);
			if (thread.isThere || thread.nativeId === 0) {
				present.push(thread);
			}
		}
	}

	/** The same as before, of whom only some can have done anything; false where all must be looked at. */
	#listWatched(): boolean {
		if (!this.#threads.listAgain(this.#watched)) {
			return false;
		}

		this.#turns.begin(false);
		for (const found of this.#watched) {
			const thread = this.#lookAt(found, found.hasEvent || this.#turns.isDue(found));
			if (thread !== found || !(thread.isThere || thread.nativeId === 0)) {
				// It has just ended. The next sample shows who has its place.
				this.#present.splice(this.#present.indexOf(found), 1);
				this.#others.forget();
			}
		}

		return true;
	}

	/** Asks for a thread's CPU time if need be, and notes it if there is something to be done for it. */
	#lookAt(found: JavaThread, isAsked: boolean): JavaThread {
		let thread = found;
		if (isAsked || found.hasMoved || !found.isThere) {
			thread = this.#look(found);
		} else {
			thread.cpuNs = 0;
			thread.waitNs = 0;
		}

		if ((thread.isThere || thread.nativeId === 0) && (!thread.isSettled || thread.cpuNs > 0)) {
			thread.isSettled = false;
			this.awake.push(thread);
			this.#isCalm &&= thread.isWatched;
		}

		return thread;
	}

	/** Reads a thread's CPU time; it, or who has its place if the kernel does not know it any more. */
	#look(thread: JavaThread): JavaThread {
		this.#ask(thread);
		if (thread.isThere) {
			return thread;
		}

		const successor = this.#threads.successorOf(thread);
		this.#ask(successor);
		return successor;
	}

	/** CPU time is read in the target's own folder of threads, so it is there only for a thread of the target. */
	#ask(thread: JavaThread): void {
		this.#turns.read(thread);
		const {reading} = this.#cpu;
		thread.isThere = reading === 'read' || (reading === 'closed' && thread.nativeId > 0 && existsSync(`/proc/${this.#pid}/task/${thread.nativeId}`));
	}
}

/** It is one of the JVM's own that work now and then, as those that compile or watch over monitors. */
function standsNowhere({frames, end}: JavaThread): boolean {
	return frames.length === 0 && end === 'root';
}
