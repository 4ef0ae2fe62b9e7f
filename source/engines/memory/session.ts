import {type Interner, unknownStackFrame} from '../../model/frame.js';
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
	type Calm, type EngineOptions, type EngineSession, type SampleOutcome, SessionOver, type TimerId,
} from '../engine.js';
import {CodeCache} from './hotspot/code-cache.js';
import {type HeapClock} from './hotspot/collections.js';
import {Continuations} from './stacks/continuation.js';
import {RecordedCredits} from './credits.js';
import {flagsOf, isSettled, KeptRows} from './kept-rows.js';
import {CpuTurns, isFoundAtWork} from './threads/cpu-turns.js';
import {derivedState, waitKind} from './threads/derived-state.js';
import {Descriptions} from './threads/descriptions.js';
import {type JavaThread} from './threads/java-thread.js';
import {JavaThreads} from './threads/java-threads.js';
import {Locks} from './threads/locks/locks.js';
import {TakenAt} from './threads/locks/taken-at.js';
import {type ProcessMemory} from './process/memory.js';
import {Methods} from './hotspot/methods.js';
import {type Opened} from './open.js';
import {Unreadable} from './process/reader.js';
import {OffCpu} from './threads/off-cpu.js';
import {OthersAtRest} from './threads/others-at-rest.js';
import {PresentThreads} from './threads/present-threads.js';
import {Sightings} from './sightings.js';
import {RunningStacks} from './stacks/running-stacks.js';
import {isStalled, mayStall} from './threads/stalls.js';
import {Stopper} from './process/stopper.js';
import {noStops, stoppedMs, sumOfStops} from './process/stops.js';
import {javaThreadState} from './threads/thread-block.js';
import {VmThreads} from './threads/vm-threads.js';
import {WaitingStacks} from './stacks/waiting-stacks.js';
import {chooseTimer} from './timer/choose.js';
import {type Begun, type RunningTimer} from './timer/running-timer.js';
import {RecordedStacks} from './timer/recorded-stack.js';
import {TopFrame} from './stacks/top-frame.js';
import {Walker} from './stacks/walker.js';

/** Samples in a row that may fail before the session is given up. */
const failureLimit = 50;

/** Samples one JVM from outside its process. */
export class MemorySession implements EngineSession {
	readonly note?: string;
	readonly timer?: TimerId;
	readonly #target: Target;
	readonly #depth: number;
	readonly #isDebugNonSafepoints: boolean;
	readonly #memory: ProcessMemory;
	readonly #methods: Methods;
	readonly #code: CodeCache;
	readonly #present: PresentThreads;
	readonly #clock: HeapClock;
	readonly #descriptions: Descriptions;
	readonly #locks: Locks;
	readonly #vmThreads: VmThreads;
	readonly #threads: JavaThreads;
	readonly #rows = new KeptRows();
	/** Lists that each sample fills anew: threads that may have moved, and those that somebody holds up. */
	readonly #changed: JavaThread[] = [];
	readonly #owned: JavaThread[] = [];
	readonly #waiting: WaitingStacks;
	readonly #running?: RunningStacks;
	readonly #stopper?: Stopper;
	/** Stacks of threads that run without stopping them; missing where that is not allowed, or not wanted. */
	readonly #perf?: RunningTimer;
	readonly #credits?: RecordedCredits;
	/** Missing where it is recorded who runs. */
	readonly #sightings?: Sightings;
	readonly #cpu: ThreadCpu;
	readonly #idle: IdleList;
	/** Stands for the stack of a thread that runs and could not be read, so that its CPU time has its place. */
	readonly #unknownFrame: number;
	#failures = 0;
	/** What the stops of the sample being taken did. */
	#stops = noStops;
	/** When the sample being filled was taken, for how many it stands, and whether a collector had stopped the program. */
	#nowMs = 0;
	#slots = 1;
	#isCollecting: boolean | undefined;
	#closed = false;
	/** What the timer has for the next sample, as far as it was asked. */
	#begun: Begun = 'nothing';

	constructor(target: Target, options: EngineOptions, interner: Interner, opened: Opened) {
		const {memory, vm, heap, ptrace} = opened;
		this.#target = target;
		this.#unknownFrame = unknownStackFrame(interner);
		this.#depth = options.depth;
		this.#isDebugNonSafepoints = vm.flags.get('DebugNonSafepoints') ?? false;
		this.#memory = memory;
		this.#idle = new IdleList(options.extraIdle);
		this.#cpu = new ThreadCpu(target.pid);
		this.#methods = new Methods(vm, interner);
		this.#code = new CodeCache(vm, this.#methods);
		const threads = new JavaThreads(vm, new NativeIds(target));
		const turns = new CpuTurns(this.#cpu);
		this.#threads = threads;
		this.#present = new PresentThreads(target.pid, threads, {cpu: this.#cpu, turns, others: new OthersAtRest(ProcessClock.of(target.pid), this.#cpu)});
		this.#clock = opened.clock;
		const parts = {
			heap, objects: opened.objects, clock: opened.clock, threads, methods: this.#methods, interner,
		};
		this.#descriptions = new Descriptions(vm, target.pid, parts);
		this.#locks = new Locks(vm, {...parts, takenAt: new TakenAt(vm, memory, this.#code, this.#methods)});
		this.#vmThreads = new VmThreads(target.pid, this.#cpu, turns);
		const walker = new Walker(vm, this.#code, this.#methods);
		const continuations = new Continuations(vm, heap, this.#code, this.#methods);
		this.#waiting = new WaitingStacks(memory, threads, walker, continuations);
		const top = new TopFrame(vm, this.#code, this.#methods, walker);
		const {perf, timer, note} = chooseTimer(opened, target, options, new RecordedStacks({memory, walker, top, continuations}));
		this.#perf = perf;
		this.#credits = perf && new RecordedCredits(perf, this.#methods, this.#depth);
		if (ptrace) {
			const offCpu = perf ? undefined : new OffCpu(target.pid);
			this.#stopper = new Stopper(ptrace, target.pid);
			this.#running = new RunningStacks({
				memory, threads, walker, top, ptrace, stopper: this.#stopper, continuations, watch: offCpu,
			});
			this.#sightings = offCpu && new Sightings(offCpu, this.#present, this.#running, target.pid);
		}

		this.timer = timer;
		this.note = [note, opened.note].filter(Boolean).join('; ') || undefined;
	}

	async sample(into: Sample, isAfterGap = false, slots = 1): Promise<SampleOutcome> {
		if (this.#closed) {
			into.clear();
			throw new SessionOver('the session was closed', {targetEnded: false});
		}

		const startedMs = performance.now();
		const atMs = Date.now();
		this.#stops = noStops;
		this.#slots = slots;
		let interruptedMs = 0;
		let calm: Calm | undefined;
		try {
			const hasWoken = this.#begin() === 'woken';
			this.#begun = 'nothing';
			this.#stops = this.#sightings?.begin() ?? noStops;
			this.#methods.nextRound();
			this.#code.nextRound();
			const threads = this.#present.list(isAfterGap, hasWoken);
			const {awake} = this.#present;
			interruptedMs = this.#perf?.look(awake, threads, this.#threads.newcomers.length > 0).costMs ?? 0;
			this.#takeStacks(awake, threads);
			this.#descriptions.describe(awake, threads);
			this.#fill(into, threads);
			calm = this.#present.done(this.#vmThreads, into);
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
			calm, changedNs: this.#present.changedNs, withinMs: calm === 'steady' ? this.#perf?.roomMs ?? 0 : Infinity,
		};
	}

	isStill(): boolean {
		try {
			return !this.#closed && this.#begin() === 'nothing' && this.#present.isStill();
		} catch {
			return false;
		}
	}

	/**
	Lines of compiled code are as exact as the code's debug information; the flag only tells what the next code to be
	compiled will have, and stands for it while none was met.
	*/
	get finding(): string | undefined {
		const {some, none} = this.#code.linesBetween;
		if (some || this.#isDebugNonSafepoints) {
			return none ? 'line numbers in code compiled before DebugNonSafepoints was set are approximate' : undefined;
		}

		return 'line numbers in compiled code are approximate';
	}

	async letGo(): Promise<void> {
		this.#begun = 'nothing';
		this.#perf?.letGo();
		await this.#stopper?.letGo();
	}

	async close(): Promise<void> {
		if (!this.#closed) {
			this.#closed = true;
			this.#perf?.letGo();
			this.#stopper?.close();
			this.#sightings?.offCpu.close();
			this.#cpu.close();
			this.#memory.close();
		}
	}

	/** Has the timer begin the next sample, until it has something for it. */
	#begin(): Begun {
		this.#begun = this.#begun === 'nothing' ? this.#perf?.begin?.() ?? 'nothing' : this.#begun;
		return this.#begun;
	}

	/**
	Stacks of all threads: those in Java code first, since their blocks age fastest; the others as far as they can have
	changed.
	*/
	#takeStacks(awake: readonly JavaThread[], threads: readonly JavaThread[]): void {
		this.#sightings?.listed(awake, threads);
		const changed = this.#changed;
		changed.length = 0;
		for (const thread of awake) {
			if (!thread.isUnchanged && !this.#sightings?.isCaught(thread)) {
				changed.push(thread);
			}
		}

		const inJava = changed.filter(thread => thread.isInJava);
		this.#walkRunning(inJava);
		const others = changed.filter(thread => !thread.isInJava && !inJava.includes(thread));
		this.#walkRunning(this.#walkWaiting(others));
	}

	/** Of threads that wait, or work in native code or in the VM; gives those that run. */
	#walkWaiting(threads: readonly JavaThread[]): readonly JavaThread[] {
		const offCpu = this.#sightings?.offCpu;
		return offCpu ? threads.filter(thread => !offCpu.around(thread, () => this.#waiting.walk(thread))) : this.#waiting.walkAll(threads);
	}

	/** Of threads that run: by their newest records where there can be any, else stopped for a moment. */
	#walkRunning(running: readonly JavaThread[]): void {
		const threads = this.#perf ? running.filter(thread => !this.#perf?.stand(thread)) : running;
		if (this.#running) {
			this.#stops = threads.length > 0 ? sumOfStops(this.#stops, this.#running.walk(threads)) : this.#stops;
			this.#sightings?.late(threads);
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
		this.#locks.start(threads);
		this.#nowMs = performance.now();
		this.#isCollecting = undefined;
		const owned = this.#owned;
		owned.length = 0;
		for (const thread of threads) {
			if (thread.isSettled && this.#rows.keepSettled(thread)) {
				continue;
			}

			const lock = this.#locks.of(thread);
			if (this.#rows.keep(thread, this.#stateOf(thread), lock)) {
				this.#credits?.add(into, thread, thread.row, thread.row);
			} else {
				thread.row = this.#addThread(into, thread);
				into.lockKind[thread.row] = lock.kind;
				into.lockClass[thread.row] = lock.className;
			}

			thread.isSettled = isSettled(thread, lock, into.state[thread.row]);
			if (lock.ownerSlot) {
				owned.push(thread);
			}
		}

		for (const thread of owned) {
			this.#locks.fill(into, thread, threads[0].round);
		}

		this.#credits?.addEnded(into);
		this.#vmThreads.add(into, this.#rows, {java: threads, newcomers: this.#threads.newcomers, slots: this.#slots});
		this.#rows.end();
	}

	/** Adds a thread, and the virtual thread that it carries; the row of the one that Java code sees. */
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

		this.#credits?.add(into, thread, row, row);
		this.#sightings?.add(into, thread, row, this.#depth);
		thread.sampledFrames = thread.frames;
		return row;
	}

	/**
	A carrier, which waits for its virtual thread to yield, and the virtual thread, whose doing all the CPU time is.
	*/
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
		this.#credits?.add(into, thread, row, carrier);
		this.#sightings?.add(into, thread, row, this.#depth);
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

		if (!mayStall(thread)) {
			thread.standsStillSinceMs = Number.NaN;
			return thread.state;
		}

		this.#isCollecting ??= this.#clock.isStopping();
		if (!isStalled(thread, this.#nowMs, this.#isCollecting)) {
			return thread.state;
		}

		// One that a safepoint holds up on its way into or out of a sleep, a wait or a park does what it was about to
		// do, or did.
		return waitKind(thread, this.#methods) === 'none' ? stateCode.BLOCKED : derivedState(thread, this.#methods, undefined);
	}

	/** RUNNABLE to the JVM, but waiting in a known native call, or inside the VM without any Java frame. */
	#isIdle(thread: JavaThread): boolean {
		if (thread.state !== stateCode.RUNNABLE) {
			return false;
		}

		const hasRested = thread.isCpuKnown && !isFoundAtWork(thread, this.#slots);
		if (thread.frames.length === 0) {
			return thread.end === 'root' && (thread.isCpuKnown ? hasRested : thread.block.state === javaThreadState.blocked);
		}

		const method = this.#methods.ofFrame(thread.frames[0]);
		const kind = method ? this.#idle.kindOf(method.className, method.name) : idleKind.none;
		return kind === idleKind.always || (kind === idleKind.withoutCpu && hasRested);
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
