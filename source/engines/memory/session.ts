import {nativeCodeFrame, type Interner, unknownStackFrame} from '../../model/frame.js';
import {threadFlag, type Sample} from '../../model/sample.js';
import {printable} from '../../model/text.js';
import {stateCode} from '../../model/thread-state.js';
import {idleKind, IdleList} from '../../jvm/threads/idle.js';
import {NativeIds} from '../../jvm/threads/native-ids.js';
import {isAlive, programOf} from '../../jvm/system/proc.js';
import type {Target} from '../../jvm/target.js';
import {ProcessClock} from '../../jvm/threads/process-clock.js';
import {ThreadCpu} from '../../jvm/threads/thread-cpu.js';
import {
	type SteadyState, type EngineOptions, type EngineSession, type SampleOutcome, SessionOver, type TimerId, type UnattributedReason,
} from '../engine.js';
import {CodeCache} from './hotspot/code-cache.js';
import {type HeapClock} from './hotspot/collections.js';
import {Continuations} from './stacks/continuation.js';
import {flagsOf, hasValidRow, RowCache} from './row-cache.js';
import {CpuTimes, countsAsRunning} from './threads/cpu-times.js';
import {derivedState, waitKind} from './threads/derived-state.js';
import {Descriptions} from './threads/descriptions.js';
import {type JavaThread} from './threads/java-thread.js';
import {JavaThreads} from './threads/java-threads.js';
import {Locks} from './threads/locks/locks.js';
import {TakenAt} from './threads/locks/taken-at.js';
import {type ProcessMemory} from './target/memory.js';
import {Methods} from './hotspot/methods.js';
import {type Opened} from './open.js';
import {Unreadable} from './target/reader.js';
import {OffCpu} from './threads/off-cpu.js';
import {OtherThreadsIdle} from './threads/other-threads-idle.js';
import {PresentThreads} from './threads/present-threads.js';
import {ObservedThreads} from './observed-threads.js';
import {RecordedCpu} from './recorded-cpu.js';
import {RunningStacks} from './stacks/running-stacks.js';
import {isStalled} from './threads/stalls.js';
import {Stopper} from './target/stopper.js';
import {noStops, stoppedMs, sumOfStops} from './target/stops.js';
import {javaThreadState} from './threads/thread-block.js';
import {VmThreads} from './threads/vm-threads.js';
import {WaitingStacks} from './stacks/waiting-stacks.js';
import {chooseTimer} from './timer/choose.js';
import {type NewRecords, type RunningTimer} from './timer/running-timer.js';
import {RecordedStacks} from './timer/recorded-stack.js';
import {TopFrame} from './stacks/top-frame.js';
import {Walker} from './stacks/walker.js';

/** Failed samples in a row after which the session ends. */
const failureLimit = 50;

/** Samples one JVM from another process. */
export class MemorySession implements EngineSession {
	readonly note?: string;
	readonly timer?: TimerId;
	readonly #target: Target;
	readonly #depth: number;
	readonly #memory: ProcessMemory;
	readonly #methods: Methods;
	readonly #code: CodeCache;
	readonly #present: PresentThreads;
	readonly #clock: HeapClock;
	readonly #descriptions: Descriptions;
	readonly #locks: Locks;
	readonly #vmThreads: VmThreads;
	readonly #threads: JavaThreads;
	readonly #rows = new RowCache();
	/** Threads blocked by an owner; filled by each sample. */
	readonly #blocked: JavaThread[] = [];
	readonly #waiting: WaitingStacks;
	readonly #running?: RunningStacks;
	readonly #stopper?: Stopper;
	/** Reads the stacks of running threads without stopping them; undefined if not permitted or not requested. */
	readonly #perf?: RunningTimer;
	readonly #recorded?: RecordedCpu;
	/** Set if `#perf` is not. */
	readonly #observed?: ObservedThreads;
	readonly #cpu: ThreadCpu;
	readonly #idle: IdleList;
	/** Frame for a running thread whose stack could not be read, so that its CPU time counts somewhere. */
	readonly #unknownFrame: number;
	#failures = 0;
	/** The stops of the sample in progress. */
	#stops = noStops;
	/**
	When the sample being filled was taken, the intervals that it covers, and whether a collection had stopped the
	program.
	*/
	#nowMs = 0;
	#repeats = 1;
	#wasCollecting: boolean | undefined;
	readonly #isCollecting: () => boolean;
	#closed = false;
	/** The timer's records for the next sample, if it was asked. */
	#newRecords: NewRecords = 'nothing';

	constructor(target: Target, options: EngineOptions, interner: Interner, opened: Opened) {
		const {memory, vm, heap, ptrace} = opened;
		this.#target = target;
		this.#unknownFrame = unknownStackFrame(interner);
		this.#depth = options.depth;
		this.#memory = memory;
		this.#idle = new IdleList(options.extraIdle);
		this.#cpu = new ThreadCpu(target.pid);
		this.#methods = new Methods(vm, interner);
		this.#code = new CodeCache(vm, this.#methods);
		const threads = new JavaThreads(vm, new NativeIds(target));
		const cpuTimes = new CpuTimes(this.#cpu);
		this.#threads = threads;
		this.#present = new PresentThreads(target.pid, threads, {cpu: this.#cpu, cpuTimes, others: new OtherThreadsIdle(ProcessClock.of(target.pid), this.#cpu)});
		this.#clock = opened.clock;
		this.#isCollecting = () => {
			this.#wasCollecting ??= this.#clock.isStopping();
			return this.#wasCollecting;
		};

		const parts = {
			heap, objects: opened.objects, clock: opened.clock, threads, methods: this.#methods, interner,
		};
		this.#descriptions = new Descriptions(vm, target.pid, parts);
		this.#locks = new Locks(vm, {...parts, takenAt: new TakenAt(vm, memory, this.#code, this.#methods)});
		this.#vmThreads = new VmThreads(target.pid, this.#cpu, cpuTimes);
		const walker = new Walker(vm, this.#code, this.#methods);
		const continuations = new Continuations(vm, heap, this.#code, this.#methods);
		this.#waiting = new WaitingStacks(memory, threads, walker, continuations);
		const top = new TopFrame(vm, this.#code, this.#methods, walker);
		const {perf, timer, note} = chooseTimer(opened, target, options, new RecordedStacks({memory, walker, top, continuations, nativeCode: nativeCodeFrame(interner)}));
		this.#perf = perf;
		this.#recorded = perf && new RecordedCpu(perf, this.#depth);
		if (ptrace) {
			const offCpu = perf ? undefined : new OffCpu(target.pid);
			this.#stopper = new Stopper(ptrace, target.pid);
			this.#running = new RunningStacks({
				memory, threads, walker, top, ptrace, stopper: this.#stopper, continuations, watch: offCpu,
			});
			this.#observed = offCpu && new ObservedThreads(offCpu, this.#present, this.#running);
		}

		this.timer = timer;
		this.note = [note, opened.note].filter(Boolean).join('; ') || undefined;
	}

	async sample(into: Sample, isAfterGap = false, repeats = 1): Promise<SampleOutcome> {
		if (this.#closed) {
			into.clear();
			throw new SessionOver('the session was closed', {targetEnded: false});
		}

		const startedMs = performance.now();
		const atMs = Date.now();
		this.#stops = noStops;
		this.#repeats = repeats;
		let interruptedMs = 0;
		let steadyState: SteadyState | undefined;
		try {
			const hasWoken = this.#begin() === 'woken';
			this.#newRecords = 'nothing';
			this.#stops = this.#observed?.begin() ?? noStops;
			this.#methods.nextRound();
			this.#code.nextRound();
			const threads = this.#present.list(isAfterGap, hasWoken);
			const {awake} = this.#present;
			interruptedMs = this.#perf?.poll(awake, threads, this.#threads.newThreads.length > 0).costMs ?? 0;
			this.#takeStacks(awake, threads);
			this.#descriptions.describe(awake, threads);
			this.#fill(into, threads);
			const found = this.#present.done(this.#vmThreads, into);
			steadyState = this.#observed?.hasWorkingThreads() ? undefined : found;
		} catch (error) {
			return this.#failed(into, {
				reason: error instanceof Unreadable ? 'the list of threads could not be read' : printable(String(error)),
				tookMs: performance.now() - startedMs, stoppedMs: stoppedMs(this.#stops),
			});
		}

		this.#failures = 0;
		const stops = this.#stops;
		return {
			ok: true, pauseUs: stops.longestMs * 1000, stoppedMs: stoppedMs(stops), interruptedMs, tookMs: performance.now() - startedMs, atMs, skipped: stops,
			steadyState, changedNs: this.#present.changedNs, withinMs: steadyState === 'steady' ? this.#perf?.roomMs ?? 0 : Infinity,
		};
	}

	isUnchanged(): boolean {
		try {
			return !this.#closed && this.#begin() === 'nothing' && !this.#observed?.hasWorkingThreads() && this.#present.isUnchanged();
		} catch {
			return false;
		}
	}

	/** What has no records, and how exact lines are. */
	get finding(): string | undefined {
		return [this.#perf?.finding, this.#code.linesFinding].filter(Boolean).join('; ') || undefined;
	}

	get unattributed(): UnattributedReason {
		return this.#perf?.unattributed ?? 'unobserved';
	}

	async release(): Promise<void> {
		this.#newRecords = 'nothing';
		this.#perf?.release();
		await this.#stopper?.release();
	}

	async close(): Promise<void> {
		if (!this.#closed) {
			this.#closed = true;
			this.#perf?.release();
			this.#stopper?.close();
			this.#observed?.offCpu.close();
			this.#cpu.close();
			this.#memory.close();
		}
	}

	/** Begins the next sample on the timer, unless it already has records for it. */
	#begin(): NewRecords {
		this.#newRecords = this.#newRecords === 'nothing' ? this.#perf?.begin?.() ?? 'nothing' : this.#newRecords;
		return this.#newRecords;
	}

	/**
	Reads the stacks of threads that may have changed, those in Java code first because their blocks become stale first.
	*/
	#takeStacks(awake: readonly JavaThread[], threads: readonly JavaThread[]): void {
		this.#observed?.listed(threads);
		const changed = awake.filter(thread => !thread.isUnchanged && !this.#observed?.isCaught(thread));
		const inJava = changed.filter(thread => thread.isInJava);
		this.#walkRunning(inJava);
		const others = changed.filter(thread => !thread.isInJava && !inJava.includes(thread));
		this.#walkRunning(this.#walkWaiting(others));
	}

	/** Walks threads that wait, or run in native code or in the VM; returns those found running Java code. */
	#walkWaiting(threads: readonly JavaThread[]): readonly JavaThread[] {
		const offCpu = this.#observed?.offCpu;
		return offCpu ? threads.filter(thread => !offCpu.around(thread, () => this.#waiting.walk(thread))) : this.#waiting.walkAll(threads);
	}

	/** Takes the stacks of running threads from their newest records if they can have any; otherwise stops them. */
	#walkRunning(running: readonly JavaThread[]): void {
		const threads = this.#perf ? running.filter(thread => !this.#perf?.setCurrentStack(thread)) : running;
		if (this.#running) {
			this.#stops = threads.length > 0 ? sumOfStops(this.#stops, this.#running.walk(threads)) : this.#stops;
			this.#observed?.late(threads);
			return;
		}

		for (const thread of threads) {
			thread.frames = thread.frames.slice(0, 0);
			thread.end = 'broken';
			thread.setWalked(undefined);
		}
	}

	#fill(into: Sample, threads: readonly JavaThread[]): void {
		this.#rows.start(into);
		into.isObservation = !this.#perf;
		this.#locks.start(threads);
		this.#nowMs = performance.now();
		this.#wasCollecting = undefined;
		this.#blocked.length = 0;
		for (const thread of threads) {
			if (thread.hasValidRow && this.#rows.keepValid(thread)) {
				continue;
			}

			const state = this.#stateOf(thread);
			const lock = this.#locks.of(thread, state);
			if (this.#rows.keep(thread, state, lock)) {
				this.#recorded?.add(into, thread, thread.row, thread.row);
			} else {
				thread.row = this.#addThread(into, thread);
				into.lockKind[thread.row] = lock.kind;
				into.lockClass[thread.row] = lock.className;
			}

			thread.hasValidRow = hasValidRow(thread, lock, into.state[thread.row]);
			if (lock.ownerSlot) {
				this.#blocked.push(thread);
			}
		}

		for (const thread of this.#blocked) {
			this.#locks.fill(into, thread, threads[0].round);
		}

		this.#recorded?.addEnded(into);
		this.#vmThreads.add(into, this.#rows, {java: threads, newThreads: this.#threads.newThreads, repeats: this.#repeats});
		this.#rows.end();
	}

	/** Adds a thread and the virtual thread mounted on it; returns the row that Java code sees. */
	#addThread(into: Sample, thread: JavaThread): number {
		if (thread.carrierStart >= 0 && thread.virtual) {
			return this.#addMounted(into, thread, thread.virtual);
		}

		const row = into.addThread(thread.key, thread.nativeId, thread.name);
		into.flags[row] = flagsOf(thread);
		into.cpuNs[row] = thread.cpuNs;
		into.state[row] = this.#stateOf(thread);
		this.#addFrames(into, thread.frames, 0, thread.frames.length);
		if (thread.frames.length === 0 && thread.end === 'broken' && thread.state === stateCode.RUNNABLE) {
			into.addFrame(this.#unknownFrame);
		}

		this.#recorded?.add(into, thread, row, row);
		this.#observed?.add(into, thread, row);
		thread.sampledFrames = thread.frames;
		return row;
	}

	/** Adds a carrier, as waiting, and its mounted virtual thread, which gets all the CPU time. */
	#addMounted(into: Sample, thread: JavaThread, virtual: {readonly key: number; readonly name: string}): number {
		const {frames, carrierStart, end} = thread;
		const incomplete = end === 'broken' ? threadFlag.incomplete : 0;
		const carrier = into.addThread(thread.key, thread.nativeId, thread.name);
		into.flags[carrier] = thread.flags | threadFlag.carrier | incomplete;
		into.state[carrier] = stateCode.WAITING;
		this.#addFrames(into, frames, carrierStart, frames.length);
		const row = into.addThread(virtual.key, thread.nativeId, virtual.name);
		into.flags[row] = threadFlag.virtual | threadFlag.daemon | (thread.isHeapMissing ? threadFlag.incomplete : incomplete);
		into.cpuNs[row] = thread.cpuNs;
		into.state[row] = this.#stateOf(thread);
		into.carrier[row] = carrier;
		this.#addFrames(into, frames, 0, carrierStart);
		this.#recorded?.add(into, thread, row, carrier);
		this.#observed?.add(into, thread, row);
		return row;
	}

	#addFrames(into: Sample, frames: Int32Array, start: number, end: number): void {
		const last = Math.min(end, start + this.#depth);
		for (let index = start; index < last; index++) {
			into.addFrame(frames[index]);
		}
	}

	#stateOf(thread: JavaThread): number {
		if (this.#isIdle(thread)) {
			return stateCode.IDLE;
		}

		if (!isStalled(thread, this.#nowMs, this.#isCollecting)) {
			return thread.state;
		}

		// A safepoint delays threads on their way into or out of a sleep, wait or park: show that.
		return waitKind(thread, this.#methods) === 'none' ? stateCode.BLOCKED : derivedState(thread, this.#methods, undefined);
	}

	/** RUNNABLE to the JVM, but waiting in a known native call, or inside the VM without a Java frame. */
	#isIdle(thread: JavaThread): boolean {
		if (thread.state !== stateCode.RUNNABLE) {
			return false;
		}

		const wasIdle = thread.isCpuKnown && !countsAsRunning(thread, this.#repeats);
		if (thread.frames.length === 0) {
			return thread.end === 'root' && (thread.isCpuKnown ? wasIdle : thread.block.state === javaThreadState.blocked);
		}

		const method = this.#methods.ofFrame(thread.frames[0]);
		const kind = method ? this.#idle.kindOf(method.className, method.name) : idleKind.none;
		return kind === idleKind.always || (kind === idleKind.withoutCpu && wasIdle);
	}

	#failed(into: Sample, outcome: {readonly reason: string; readonly tookMs: number; readonly stoppedMs: number}): SampleOutcome {
		this.#rows.forget(into);
		this.#failures++;
		if (!isAlive(this.#target)) {
			throw new SessionOver(`process ${this.#target.pid} has ended`, {targetEnded: true});
		}

		const program = this.#memory.isGone ? programOf(this.#target.pid) : undefined;
		if (program !== undefined) {
			throw new SessionOver(`process ${this.#target.pid} has replaced itself with another program, ${printable(program)}`, {targetEnded: true});
		}

		if (this.#failures > failureLimit) {
			throw new SessionOver(`the JVM's memory can no longer be read: ${outcome.reason}`, {targetEnded: false, othersMayDo: true});
		}

		return {ok: false, ...outcome};
	}
}
