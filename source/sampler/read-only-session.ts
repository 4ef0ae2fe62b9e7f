import type {Engine, EngineSession} from '../engines/common/engine.js';
import {SystemCalls} from '../jvm/waits/system-calls.js';
import type {Target} from '../jvm/target.js';
import {unattributedReason} from '../model/frame.js';
import {Sample} from '../model/sample.js';
import {createTable, defaultShape, type SamplerFigures, type TableShape} from '../table/table-layout.js';
import {TableWriter} from '../table/writer.js';
import {monotonicMs, steadyNow} from '../util/steady-clock.js';
import {SampledWaits} from './sampled-waits.js';

/** A table for few samples of one of many JVMs: a quarter of the usual one at first, and at most one of usual size. */
const shape: TableShape = {
	...defaultShape,
	strings: defaultShape.strings / 4,
	bytes: defaultShape.bytes / 4,
	frames: defaultShape.frames / 4,
	nodes: defaultShape.nodes / 4,
	threads: defaultShape.threads / 4,
	counters: defaultShape.counters / 4,
	contention: defaultShape.contention / 4,
	events: defaultShape.events / 4,
};

/** Frames kept of a stack: enough for the lines of the program, which findings name. */
const depth = 100;

/** Counts rare samples of a JVM, taken with an engine that only reads, into a table of its own. */
export class ReadOnlySession {
	readonly table = createTable(shape);
	readonly #writer = new TableWriter(this.table);
	readonly #waits: SampledWaits;
	readonly #sample = new Sample();
	readonly #startedMs = performance.now();
	readonly #startedAtMs = steadyNow();
	#session: EngineSession | undefined;
	#failed = 0;

	constructor(target: Target) {
		this.#waits = new SampledWaits(this.#writer, new SystemCalls(target));
	}

	/** Opens the JVM. Throws SessionOver. */
	async open(engine: Engine, target: Target): Promise<void> {
		this.#session = await engine.open(target, {
			depth,
			onlyReads: true,
			fileWait: (kind, fd) => this.#waits.ofFile(kind, fd),
		}, this.#writer);
	}

	/** Takes a sample and counts it. Throws SessionOver. `intervalMs`: about the time from one sample to the next. */
	async take(intervalMs: number): Promise<void> {
		// All CPU times are read: a thread that has used some is not stuck.
		const outcome = await this.#session!.sample(this.#sample, true);
		if (outcome.ok) {
			this.#waits.fill(this.#sample);
			this.#writer.count(this.#sample, outcome.atMs, this.#figures(intervalMs));
		} else {
			this.#failed++;
			this.#writer.publish(this.#figures(intervalMs));
		}
	}

	async close(): Promise<void> {
		await this.#session?.close();
	}

	#figures(intervalMs: number): SamplerFigures {
		const durationMs = performance.now() - this.#startedMs;
		return {
			requestedIntervalMs: intervalMs,
			intervalMs,
			cpuIntervalMs: intervalMs,
			startedAtMs: this.#startedAtMs,
			durationMs,
			countedAtMs: monotonicMs(),
			nextAtMs: monotonicMs() + intervalMs,
			refreshEvery: 1,
			sampledMs: durationMs,
			late: 0,
			unattributedReason: unattributedReason.unobserved,
			virtualThreads: 0,
			virtualSeenPercent: 0,
			pauseP50Us: 0,
			pauseP99Us: 0,
			pauseWorstUs: 0,
			failed: this.#failed,
			refusedThreads: 0,
			lateThreads: 0,
			targetStoppedMs: 0,
			eventsMs: 0,
			targetInterruptedMs: 0,
		};
	}
}

