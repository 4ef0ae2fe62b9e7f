import {JvmStacks} from '../../model/jvm-stacks.js';
import {type PoolReading} from '../../model/pool-reading.js';
import {type Sample} from '../../model/sample.js';
import {type EventKind} from '../../model/schema.js';
import {type EngineFigures} from '../../model/snapshot.js';
import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {isAlive, programOf} from '../../jvm/system/proc.js';
import {type Target} from '../../jvm/target.js';
import {ThreadCpu} from '../../jvm/threads/thread-cpu.js';
import {
	SessionOver, type EngineOptions, type EngineSession, type SampleOutcome, type TimerId, type UnattributedReason,
} from '../common/engine.js';
import {steadyNow} from '../../util/steady-clock.js';
import {meanHeldMs} from './cpu/ptrace/stopper.js';
import {SampledEvents} from './events/sampled-events.js';
import {type LiveJvm} from './open.js';
import {MemoryFigures} from './memory-figures.js';
import {SampleRows} from './sample-rows.js';
import {Unreadable} from './target/memory-reader.js';
import {ThreadStacks} from './thread-stacks.js';
import {Descriptions} from './threads/descriptions.js';
import {Pools} from './pools/read-pools.js';
import {LiveThreads} from './threads/live-threads.js';

const maxConsecutiveFailures = 50;

/** Samples one JVM from another process: lists its threads, reads their stacks, describes them, and fills the rows. */
export class MemorySession implements EngineSession {
	readonly note?: string;
	readonly timer: TimerId;
	readonly #target: Target;
	readonly #jvm: LiveJvm;
	readonly #cpu: ThreadCpu;
	readonly #threads: LiveThreads;
	readonly #stacks: ThreadStacks;
	readonly #descriptions: Descriptions;
	readonly #rows: SampleRows;
	readonly #pools: Pools;
	readonly #figures: MemoryFigures;
	readonly #events: SampledEvents;
	/** Consecutive failed samples. */
	#failures = 0;
	#closed = false;

	constructor(target: Target, options: EngineOptions, jvm: LiveJvm) {
		this.#target = target;
		this.#jvm = jvm;
		// With rare samples of many JVMs, files would be open for nothing.
		this.#cpu = new ThreadCpu(target.pid, options.onlyReads ? 0 : undefined);
		const jvmStacks = new JvmStacks(jvm.interner);
		this.#threads = new LiveThreads(jvm, target, this.#cpu, jvmStacks);
		this.#stacks = new ThreadStacks(jvm, target, options, this.#threads);
		this.#descriptions = new Descriptions(jvm, target.pid, this.#threads.java);
		this.#pools = new Pools(jvm);
		this.#figures = new MemoryFigures(jvm);
		this.#events = new SampledEvents(jvm.perf, jvm, this.#stacks.recorded, options);
		const {perf, observedThreads, note} = this.#stacks;
		this.note = note;
		this.timer = perf ? 'perf' : 'stop';
		this.#rows = new SampleRows(jvm, options, {
			vmThreads: this.#threads.vmThreads,
			jvmStacks,
			perf,
			observedThreads,
		});
	}

	async sample(into: Sample, isAfterPause = false, repeats = 1): Promise<SampleOutcome> {
		if (this.#closed) {
			into.clear();
			throw new SessionOver('the session was closed', {targetEnded: false});
		}

		const atMs = steadyNow();
		let interruptedMs = 0;
		let eventsMs = 0;
		let isSteady = false;
		try {
			const settledThreadRan = this.#stacks.begin();
			this.#jvm.methods.beginSample();
			this.#jvm.code.beginSample();
			const threads = this.#threads.list({areAllDue: isAfterPause, settledThreadRan});
			const {changedThreads} = this.#threads;
			const {newThreads} = this.#threads.java;
			interruptedMs = this.#stacks.read(changedThreads, threads, newThreads.length > 0);
			this.#descriptions.describe(changedThreads, threads);
			this.#rows.fill(into, threads, {newThreads, repeats});
			const {coveredMs, costMs} = this.#events.add(into, threads);
			eventsMs = coveredMs;
			interruptedMs += costMs;
			isSteady = this.#threads.endSample(into) && !this.#stacks.observedThreads?.hasWorkingThreads();
		} catch (error) {
			return this.#failed(into, {
				reason: error instanceof Unreadable
					? safe`the list of threads could not be read`
					: printable(String(error)),
				stoppedMs: meanHeldMs(this.#stacks.stops),
			});
		}

		this.#failures = 0;
		const {longestMs, refused, late, tracer} = this.#stacks.stops;
		return {
			ok: true,
			pauseUs: longestMs * 1000,
			stoppedMs: meanHeldMs(this.#stacks.stops),
			interruptedMs,
			eventsMs,
			recordsMs: this.#stacks.recordsMs,
			atMs,
			skippedThreads: {refused, late, tracer},
			isSteady,
			sinceChangeNs: this.#threads.steady.sinceChangeNs,
			nextWithinMs: Math.min(this.#stacks.perf?.bufferMs ?? Infinity, this.#events.nextWithinMs),
			hasTimers: this.#events.hasTimers,
		};
	}

	/** Says which threads have no records, and whether line numbers are approximate. */
	get lineNote(): Printable | undefined {
		return joined(
			[this.#stacks.perf?.unrecordedNote ?? safe``, this.#jvm.code.lineNote ?? safe``].filter(Boolean),
			safe`; `,
		) || undefined;
	}

	get unattributed(): UnattributedReason {
		return this.#stacks.perf?.unattributed ?? 'unobserved';
	}

	setEvents(kinds: readonly EventKind[]): void {
		this.#events.set(kinds);
	}

	get eventsNote(): Printable | undefined {
		return this.#events.note;
	}

	get eventsRefusal(): Printable | undefined {
		return this.#events.refusal;
	}

	get virtualThreads(): EngineSession['virtualThreads'] {
		return this.#rows.unmountedThreads;
	}

	readPools(): readonly PoolReading[] {
		return this.#closed ? [] : this.#pools.read(this.#threads.newest);
	}

	readFigures(): EngineFigures {
		return this.#closed ? {} : this.#figures.read();
	}

	recordEvery(times: number): void {
		this.#stacks.perf?.recordEvery(times);
		this.#events.recordEvery = times;
	}

	async release(): Promise<void> {
		this.#events.release();
		await this.#stacks.release();
	}

	async close(): Promise<void> {
		if (!this.#closed) {
			this.#closed = true;
			this.#events.release();
			this.#stacks.close();
			this.#cpu.close();
			this.#jvm.memory.close();
		}
	}

	#failed(into: Sample, outcome: {readonly reason: Printable; readonly stoppedMs: number}): SampleOutcome {
		this.#rows.forget(into);
		this.#failures++;
		if (!isAlive(this.#target)) {
			throw new SessionOver(`process ${this.#target.pid} has ended`, {targetEnded: true});
		}

		const program = this.#jvm.memory.isGone ? programOf(this.#target.pid) : undefined;
		if (program !== undefined) {
			throw new SessionOver(
				`process ${this.#target.pid} has replaced itself with another program, ${printable(program)}`,
				{targetEnded: true},
			);
		}

		if (this.#failures > maxConsecutiveFailures) {
			throw new SessionOver(`the JVM's memory can no longer be read: ${outcome.reason}`, {
				targetEnded: false,
				otherEnginesMayWork: true,
			});
		}

		return {ok: false, ...outcome};
	}
}
