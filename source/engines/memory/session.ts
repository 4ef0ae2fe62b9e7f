import {nativeCodeFrame, type Interner} from '../../model/frame.js';
import {type Sample} from '../../model/sample.js';
import {printable} from '../../model/text.js';
import {IdleList} from '../../jvm/threads/idle.js';
import {NativeIds} from '../../jvm/threads/native-ids.js';
import {isAlive, programOf} from '../../jvm/system/proc.js';
import {type Target} from '../../jvm/target.js';
import {ProcessClock} from '../../jvm/threads/process-clock.js';
import {ThreadCpu} from '../../jvm/threads/thread-cpu.js';
import {
	SessionOver, type EngineOptions, type EngineSession, type SampleOutcome, type TimerId, type UnattributedReason,
} from '../common/engine.js';
import {CodeCache} from './hotspot/code-cache.js';
import {Methods} from './hotspot/methods.js';
import {ObservedThreads} from './cpu/ptrace/observed-threads.js';
import {type Opened} from './open.js';
import {RecordedCpu, SampleRows} from './sample-rows.js';
import {Continuations} from './unwind/continuation.js';
import {RunningStacks} from './cpu/ptrace/running-stacks.js';
import {ThreadStacks, WaitingStacks} from './thread-stacks.js';
import {TopFrame} from './unwind/top-frame.js';
import {Walker} from './unwind/walker.js';
import {type ProcessMemory} from './target/memory.js';
import {Unreadable} from './target/reader.js';
import {Stopper, stoppedMs} from './cpu/ptrace/stopper.js';
import {CpuTimes} from './threads/cpu-times.js';
import {Descriptions} from './threads/descriptions.js';
import {JavaThreads} from './threads/java-threads.js';
import {Locks} from './locks/locks.js';
import {TakenAt} from './locks/taken-at.js';
import {OtherThreadsIdle} from './threads/other-threads-idle.js';
import {PresentThreads} from './threads/present-threads.js';
import {VmThreads} from './threads/vm-threads.js';
import {chooseTimer} from './cpu/perf/choose.js';
import {RecordedStacks} from './cpu/perf/recorded-stack.js';
import {type RunningTimer} from './cpu/perf/running-timer.js';

/** Failed samples in a row after which the session ends. */
const failureLimit = 50;

/** Samples one JVM from another process: lists its threads, reads their stacks, describes them, and fills the rows. */
export class MemorySession implements EngineSession {
	readonly note?: string;
	readonly timer?: TimerId;
	readonly #target: Target;
	readonly #memory: ProcessMemory;
	readonly #methods: Methods;
	readonly #code: CodeCache;
	readonly #threads: JavaThreads;
	readonly #present: PresentThreads;
	readonly #stacks: ThreadStacks;
	readonly #perf?: RunningTimer;
	/** Set if `#perf` is not. */
	readonly #observed?: ObservedThreads;
	readonly #descriptions: Descriptions;
	readonly #vmThreads: VmThreads;
	readonly #rows: SampleRows;
	readonly #cpu: ThreadCpu;
	#failures = 0;
	#closed = false;

	constructor(target: Target, options: EngineOptions, interner: Interner, opened: Opened) {
		const {memory, vm, heap, ptrace, clock} = opened;
		this.#target = target;
		this.#memory = memory;
		this.#cpu = new ThreadCpu(target.pid);
		this.#methods = new Methods(vm, interner);
		this.#code = new CodeCache(vm, this.#methods);
		const threads = new JavaThreads(vm, new NativeIds(target));
		const cpuTimes = new CpuTimes(this.#cpu);
		this.#threads = threads;
		this.#present = new PresentThreads(target.pid, threads, {cpu: this.#cpu, cpuTimes, others: new OtherThreadsIdle(ProcessClock.of(target.pid), this.#cpu)});
		const parts = {
			heap, objects: opened.objects, clock, threads, methods: this.#methods, interner,
		};
		this.#descriptions = new Descriptions(vm, target.pid, parts);
		this.#vmThreads = new VmThreads(target.pid, this.#cpu, cpuTimes);

		const walker = new Walker(vm, this.#code, this.#methods);
		const continuations = new Continuations(vm, heap, this.#code, this.#methods);
		const top = new TopFrame(vm, this.#code, this.#methods, walker);
		const {perf, timer, note} = chooseTimer(opened.perf, target, options, new RecordedStacks({memory, walker, top, continuations, nativeCode: nativeCodeFrame(interner)}));
		const stopper = new Stopper(ptrace, target.pid);
		const running = new RunningStacks({
			memory, threads, walker, top, ptrace, stopper, continuations,
		});
		this.#perf = perf;
		this.#observed = perf ? undefined : new ObservedThreads(target.pid, this.#present, running);
		this.#stacks = new ThreadStacks({
			waiting: new WaitingStacks(memory, threads, walker, continuations), perf, running, stopper, observed: this.#observed,
		});
		this.#rows = new SampleRows({
			methods: this.#methods, vmThreads: this.#vmThreads, clock, idle: new IdleList(options.extraIdle), observed: this.#observed,
			locks: new Locks(vm, {...parts, takenAt: new TakenAt(vm, memory, this.#code, this.#methods)}),
			recorded: perf && new RecordedCpu(perf, options.depth),
		}, options.depth, interner);
		this.timer = timer;
		this.note = [note, opened.note].filter(Boolean).join('; ') || undefined;
	}

	async sample(into: Sample, isAfterGap = false, repeats = 1): Promise<SampleOutcome> {
		if (this.#closed) {
			into.clear();
			throw new SessionOver('the session was closed', {targetEnded: false});
		}

		const atMs = Date.now();
		let interruptedMs = 0;
		let isSteady = false;
		try {
			const hasWoken = this.#stacks.begin();
			this.#methods.nextRound();
			this.#code.nextRound();
			const threads = this.#present.list(isAfterGap, hasWoken);
			const {awake} = this.#present;
			const {newThreads} = this.#threads;
			interruptedMs = this.#stacks.read(awake, threads, newThreads.length > 0);
			this.#descriptions.describe(awake, threads);
			this.#rows.fill(into, threads, {newThreads, repeats});
			isSteady = this.#present.done(this.#vmThreads, into) && !this.#observed?.hasWorkingThreads();
		} catch (error) {
			return this.#failed(into, {
				reason: error instanceof Unreadable ? 'the list of threads could not be read' : printable(String(error)),
				stoppedMs: stoppedMs(this.#stacks.stops),
			});
		}

		this.#failures = 0;
		const {stops} = this.#stacks;
		return {
			ok: true, pauseUs: stops.longestMs * 1000, stoppedMs: stoppedMs(stops), interruptedMs, atMs, skipped: stops,
			isSteady, changedNs: this.#present.changedNs, withinMs: this.#perf?.roomMs,
		};
	}

	/** What has no records, and how exact lines are. */
	get finding(): string | undefined {
		return [this.#perf?.finding, this.#code.linesFinding].filter(Boolean).join('; ') || undefined;
	}

	get unattributed(): UnattributedReason {
		return this.#perf?.unattributed ?? 'unobserved';
	}

	async release(): Promise<void> {
		await this.#stacks.release();
	}

	async close(): Promise<void> {
		if (!this.#closed) {
			this.#closed = true;
			this.#stacks.close();
			this.#cpu.close();
			this.#memory.close();
		}
	}

	#failed(into: Sample, outcome: {readonly reason: string; readonly stoppedMs: number}): SampleOutcome {
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
