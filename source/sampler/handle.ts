import process from 'node:process';
import type {Worker} from 'node:worker_threads';
import type {PoolReading} from '../model/pool-reading.js';
import type {EventKind} from '../model/schema.js';
import type {EngineFigures, Snapshot} from '../model/snapshot.js';
import {hasEnded, type SnapshotSource, type SourceStatus} from '../model/source.js';
import {printable, safe, type Printable} from '../util/printable.js';
import {Bell} from '../table/lock.js';
import {createTable} from '../table/table-layout.js';
import {TableReader, type TableImage} from '../table/table-reader.js';
import {outOfFiles} from '../jvm/system/proc.js';
import type {Target} from '../jvm/target.js';
import {monotonicMs, steadyNow} from '../util/steady-clock.js';
import type {Command, Report, WorkerInput} from './messages.js';
import {endWorker, startWorker, within, youngGeneration} from './worker-thread.js';

/** How long the main thread may be blocked by the table's lock; after that the screen is stale. */
const readWaitMs = 50;
/** How long the worker may take to release the target: a thread that waits for a CPU cannot be released earlier. */
const holdWaitMs = 5000;
/** A session is silent after this time plus this many intervals without a sample: a thread dump may take seconds. */
const silentAfterMs = 3000;
const silentAfterIntervals = 3;
/**
A sample is postponed by the budget if the interval is at least `minPostponedMs` and `minPostponedFactor` times the
requested one, and the sample is due at least `minPostponedMs` after the previous one. The session is silent if such a
sample is overdue by `maxOverdueMs`.
*/
const minPostponedMs = 3000;
const minPostponedFactor = 2;
const maxOverdueMs = 10_000;

export type SamplerOptions = Omit<WorkerInput, 'table'> & {
	/** URL of the worker's file; by default next to this module. */
	readonly workerUrl?: URL;
};

/** A live session: snapshots of the table that the sampler's worker fills. */
export type SamplerHandle = SnapshotSource & {
	/**
	Releases the target and takes no samples until `resume`; the time counts as a pause. Resolves to false if the target
	could not be released in time.
	*/
	hold(): Promise<boolean>;
	resume(): void;
};

class LiveSampler implements SamplerHandle {
	readonly #target: Target;
	readonly #reader: TableReader;
	readonly #bell: Bell;
	readonly #worker: Worker;
	readonly #cpuAtStart = process.cpuUsage();
	readonly #listeners = new Set<() => void>();
	readonly #exited: Promise<void>;
	#status: SourceStatus = {phase: 'starting', stale: false};
	#refreshEvery = 1;
	#engine: Printable | undefined;
	#timer = safe``;
	#isPaused = false;
	#isSampling = false;
	#isClosing = false;
	/** By number of the `hold`: called when the worker has released the target. */
	readonly #onHeld = new Map<number, () => void>();
	#holds = 0;
	/** When the last sample was taken, or the last time at which none was due (`monotonicMs`). */
	#lastSignMs = monotonicMs();
	/** When the session ended; Infinity before. */
	#endedMs = Infinity;
	#samples = 0;
	#pools: readonly PoolReading[] | undefined;
	#figures: EngineFigures = {};
	/** The result of the last `read`. */
	#snapshot: Snapshot | undefined;
	/** The table from which `#snapshot` was made. */
	#image: TableImage | undefined;

	constructor(options: SamplerOptions) {
		const {workerUrl, ...input} = options;
		const table = createTable();
		this.#target = options.target;
		this.#status = {...this.#status, events: options.events};
		this.#reader = new TableReader(table);
		this.#bell = new Bell(table);
		this.#worker = startWorker('worker.js', {
			name: 'sampler',
			workerData: {...input, table} satisfies WorkerInput,
			execArgv: [],
			resourceLimits: youngGeneration,
			// Node's warnings must not reach the terminal.
			stdout: true,
			stderr: true,
		}, workerUrl);
		this.#worker.stdout.resume();
		this.#worker.stderr.resume();
		this.#worker.on('message', (report: Report) => {
			this.#onReport(report);
		});
		this.#worker.on('error', error => {
			const files = outOfFiles(error);
			if (files) {
				this.#end('failed', files.reason, files.hint);
				return;
			}

			const [line] = String(error instanceof Error ? error.message : error).split('\n');
			this.#end(
				'failed',
				safe`the sampler failed: ${printable(line)}`,
				safe`this is a bug in tprof-top; please report it`,
			);
		});
		this.#exited = new Promise(resolve => {
			this.#worker.on('exit', code => {
				this.#end(
					this.#isClosing ? 'ended' : 'failed',
					this.#isClosing ? undefined : safe`the sampler ended unexpectedly (code ${code})`,
				);
				resolve();
			});
		});
	}

	status(): SourceStatus {
		return this.#status;
	}

	read(): Snapshot | undefined {
		const image = this.#reader.read(readWaitMs);
		const nowMs = monotonicMs();
		// An unreadable table is stale, not silent.
		const samplingFigures = this.#status.phase === 'sampling' ? image?.figures : undefined;
		this.#noteSample(samplingFigures, nowMs);
		this.#set({stale: image === undefined, ...this.#silence(samplingFigures, nowMs)});
		const engine = this.#engine;
		// The first sample may be in the table before the message that names the engine arrives.
		if (engine === undefined || !image || image.figures.samples === 0) {
			return this.#snapshot;
		}

		// While sampling, the duration grows even if the table is unchanged.
		if (image === this.#image && this.#status.phase !== 'sampling') {
			return this.#snapshot;
		}

		const {figures: {countedAtMs, nextAtMs, refreshEvery, ...figures}, ...tables} = image;
		const durationMs = figures.durationMs
			+ (countedAtMs > 0 ? Math.max(0, Math.min(monotonicMs(), this.#endedMs) - countedAtMs) : 0);
		const cpu = process.cpuUsage(this.#cpuAtStart);
		this.#image = image;
		this.#refreshEvery = refreshEvery;
		this.#snapshot = {
			...tables,
			pools: this.#pools,
			target: this.#target.facts,
			session: {
				...figures, durationMs, engine, timer: this.#timer, takenAtMs: steadyNow(),
				selfCpuMs: (cpu.user + cpu.system) / 1000,
			},
		};
		return this.#snapshot;
	}

	figures(): EngineFigures {
		return this.#figures;
	}

	refreshEvery(): number {
		return this.#refreshEvery;
	}

	askForHolders(): void {
		this.#tell({kind: 'holders'});
	}

	setEvents(kinds: readonly EventKind[]): void {
		this.#tell({kind: 'events', kinds});
		this.#set({events: kinds});
	}

	setPaused(paused: boolean): void {
		this.#isPaused = paused;
		this.#lastSignMs = monotonicMs();
		this.#tell({kind: 'pause', paused});
		this.#setRunningPhase();
	}

	async hold(): Promise<boolean> {
		const number = ++this.#holds;
		const held = new Promise<void>(resolve => {
			this.#onHeld.set(number, resolve);
		});
		this.#tell({kind: 'hold', number});
		const isHeld = await within(holdWaitMs, held, this.#exited);
		this.#onHeld.delete(number);
		return isHeld;
	}

	resume(): void {
		this.#lastSignMs = monotonicMs();
		this.#tell({kind: 'resume'});
	}

	async close(): Promise<void> {
		if (!this.#isClosing) {
			this.#isClosing = true;
			this.#tell({kind: 'stop'});
			this.#worker.unref();
		}

		if (!await endWorker(this.#worker, this.#exited)) {
			this.#end('ended');
		}
	}

	onChange(listener: () => void): () => void {
		this.#listeners.add(listener);
		return () => {
			this.#listeners.delete(listener);
		};
	}

	#onReport(report: Report): void {
		switch (report.kind) {
			case 'opened': {
				this.#engine = report.engine;
				this.#timer = safe`${report.timer ?? ''}`;
				break;
			}

			case 'sampling': {
				this.#isSampling = true;
				this.#setRunningPhase();
				break;
			}

			case 'status': {
				this.#set(report.status);
				break;
			}

			case 'pools': {
				this.#pools = report.pools;
				break;
			}

			case 'figures': {
				this.#figures = report.figures;
				break;
			}

			case 'held': {
				this.#onHeld.get(report.number)?.();
				break;
			}

			case 'over': {
				this.#end(report.phase, report.message, report.hint || undefined);
				break;
			}
		}
	}

	#setRunningPhase(): void {
		if (!hasEnded(this.#status)) {
			const running = this.#isSampling ? 'sampling' : 'starting';
			this.#set({phase: this.#isPaused ? 'paused' : running});
		}
	}

	/** Ends the session. Only the first call counts, since the worker's exit follows every other end. */
	#end(phase: 'ended' | 'failed', message?: Printable, hint?: Printable): void {
		if (!hasEnded(this.#status)) {
			this.#endedMs = monotonicMs();
			this.#set({phase, message, hint, silentS: undefined, nextS: undefined});
		}
	}

	/** Notes when the last sample was taken, or that none is due. `figures`: undefined if none is due. */
	#noteSample(figures: TableImage['figures'] | undefined, nowMs: number): void {
		if (!figures) {
			this.#lastSignMs = nowMs;
		} else if (figures.samples !== this.#samples) {
			this.#samples = figures.samples;
			this.#lastSignMs = nowMs - Math.max(0, steadyNow() - figures.lastSampleAtMs);
		}
	}

	/**
	Returns the seconds without a sample, or until the next one if the budget postpones it; both undefined in normal
	operation, and if no sample is due (`figures` is undefined).
	*/
	#silence(figures: TableImage['figures'] | undefined, nowMs: number): Pick<SourceStatus, 'silentS' | 'nextS'> {
		if (!figures) {
			return {silentS: undefined, nextS: undefined};
		}

		const {intervalMs, requestedIntervalMs, nextAtMs} = figures;
		const silentMs = nowMs - this.#lastSignMs;
		const isLong = intervalMs >= Math.max(minPostponedMs, minPostponedFactor * requestedIntervalMs);
		const isPostponed = isLong && nextAtMs - this.#lastSignMs >= minPostponedMs;
		const isSilent = silentMs > silentAfterMs + (silentAfterIntervals * intervalMs)
			|| (isPostponed && nowMs > nextAtMs + maxOverdueMs);
		return {
			silentS: isSilent ? Math.floor(silentMs / 1000) : undefined,
			nextS: isPostponed && !isSilent ? Math.ceil(Math.max(0, nextAtMs - nowMs) / 1000) : undefined,
		};
	}

	/** Changes the status; calls the listeners if it differs. */
	#set(change: Partial<SourceStatus>): void {
		const before = this.#status;
		const isDifferent = (Object.keys(change) as Array<keyof SourceStatus>).some(key => before[key] !== change[key]);
		if (isDifferent) {
			this.#status = {...before, ...change};
			for (const listener of this.#listeners) {
				listener();
			}
		}
	}

	#tell(command: Command): void {
		this.#worker.postMessage(command);
		this.#bell.ring();
	}
}

/** Starts sampling a target in a worker. Never throws; errors are in the status. */
export function startSampler(options: SamplerOptions): SamplerHandle {
	return new LiveSampler(options);
}
