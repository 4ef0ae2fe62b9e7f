import {existsSync} from 'node:fs';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {Worker} from 'node:worker_threads';
import type {Snapshot} from '../model/snapshot.js';
import type {SnapshotSource, SourceStatus} from '../model/source.js';
import {printable} from '../model/text.js';
import {Bell} from '../table/bell.js';
import {createTable} from '../table/layout.js';
import {TableReader, type TableImage} from '../table/reader.js';
import {outOfFiles} from '../jvm/system/open-files.js';
import type {Target} from '../jvm/target.js';
import {leaveWithoutWorkers} from './leave.js';
import {clampInterval, monotoneMs, type Command, type Report, type WorkerInput} from './messages.js';

/**
Reading copies for a millisecond at most; after this the writer is taken to be stuck, and the screen to be stale. The
main thread stands still meanwhile.
*/
const readWaitMs = 50;
/** The worker may be waiting for a slow target when it is told to stop; after this time it is terminated. */
const closeWaitMs = 2000;
/** A terminated worker is gone at once, unless it hangs in a system call; then it is left behind. */
const terminateWaitMs = 2000;
/**
How long the worker may take to let go of the target: a thread that gets no CPU cannot be let go until it has one.
*/
const holdWaitMs = 5000;
/** A sample that is this late, beyond the jitter of the clock, is missed; a dump may take some seconds. */
const silentAfterMs = 3000;
const silentAfterIntervals = 3;
/**
A sample that comes this long after the one before, and after this many times the interval asked for, has been put off.
Once it is due, it takes as long as any other.
*/
const putOffMs = 3000;
const putOffIntervals = 2;
const sampleMs = 10_000;

/** What a session is started with. */
export type SamplerOptions = Omit<WorkerInput, 'table'> & {
	/** The worker's file; found beside this module when left out. */
	readonly workerUrl?: URL;
};

/** A live session: what the sampler's worker counts, as snapshots. */
export type SamplerHandle = SnapshotSource & {
	/** Asks for another interval, in milliseconds; the cost budget may make it longer. */
	setIntervalMs(intervalMs: number): void;
	/**
	Lets go of everything of the target and takes no sample until `resume`; false when that could not be done in time.
	The time until `resume` counts as a pause.
	*/
	hold(): Promise<boolean>;
	resume(): void;
};

/**
Where the worker's file is: beside the bundle or the folder of its chunks, or in dist/ when this runs from source.
*/
/**
Room for what a sample leaves behind, megabytes: V8 would make it up to 48 before it collects the first time, of which
all is resident by then. What samples keep is in few objects, so that collecting more often costs nothing that could be
measured.
*/
const youngMb = 6;

function defaultWorkerUrl(): URL {
	const candidates = import.meta.url.endsWith('.ts') ? ['../../dist/worker.js'] : ['./worker.js', '../worker.js'];
	const urls = candidates.map(candidate => new URL(candidate, import.meta.url));
	return urls.find(url => existsSync(fileURLToPath(url))) ?? urls[0];
}

class LiveSampler implements SamplerHandle {
	readonly #target: Target;
	readonly #reader: TableReader;
	readonly #bell: Bell;
	readonly #worker: Worker;
	readonly #cpuAtStart = process.cpuUsage();
	readonly #listeners = new Set<() => void>();
	readonly #exited: Promise<void>;
	#status: SourceStatus = {phase: 'starting', stale: false};
	/** Known once the worker has it. */
	#engine: string | undefined;
	#timer = '';
	/** What the engine said when it opened the target, and what its samples have shown since. */
	#note = '';
	#finding = '';
	#isPaused = false;
	#isSampling = false;
	#isClosing = false;
	/** By the number of a `hold`: what to call when the worker no longer holds anything of the target. */
	readonly #holding = new Map<number, (isHeld: boolean) => void>();
	#holds = 0;
	/** When a sample was last heard of, or could not be expected; when the session ended. Times of `monotoneMs`. */
	#heardMs = monotoneMs();
	#endedMs = Infinity;
	#samples = 0;
	#snapshot: Snapshot | undefined;
	#image: TableImage | undefined;

	constructor(options: SamplerOptions) {
		const {workerUrl, ...input} = options;
		const table = createTable();
		this.#target = options.target;
		this.#reader = new TableReader(table);
		this.#bell = new Bell(table);
		this.#worker = new Worker(workerUrl ?? defaultWorkerUrl(), {
			name: 'sampler',
			workerData: {...input, table} satisfies WorkerInput,
			execArgv: [],
			resourceLimits: {maxYoungGenerationSizeMb: youngMb},
			// What it prints, a warning of Node's perhaps, must not reach a terminal that shows a screen.
			stdout: true,
			stderr: true,
		});
		this.#worker.stdout.resume();
		this.#worker.stderr.resume();
		this.#worker.on('message', (report: Report) => {
			this.#hear(report);
		});
		this.#worker.on('error', error => {
			const files = outOfFiles(error);
			if (files) {
				this.#end('failed', files.reason, files.hint);
				return;
			}

			const [line] = String(error instanceof Error ? error.message : error).split('\n');
			this.#end('failed', `the sampler failed: ${printable(line)}`, 'this is a bug in tprof-top; please report it');
		});
		this.#exited = new Promise(resolve => {
			this.#worker.on('exit', code => {
				this.#end(this.#isClosing ? 'ended' : 'failed', this.#isClosing ? undefined : `the sampler ended unexpectedly (code ${code})`);
				resolve();
			});
		});
	}

	status(): SourceStatus {
		return this.#status;
	}

	read(): Snapshot | undefined {
		const image = this.#reader.read(readWaitMs);
		this.#set({stale: image === undefined, ...this.#expected(image)});
		const engine = this.#engine;
		// The table has the first sample before the worker's message is heard that says which engine takes them.
		if (engine === undefined || !image || image.figures.samples === 0 || (image === this.#image && this.#status.phase !== 'sampling')) {
			return this.#snapshot;
		}

		const {figures: {countedAtMs, nextAtMs, ...figures}, ...tables} = image;
		const durationMs = figures.durationMs + (countedAtMs > 0 ? Math.max(0, Math.min(monotoneMs(), this.#endedMs) - countedAtMs) : 0);
		const cpu = process.cpuUsage(this.#cpuAtStart);
		this.#image = image;
		this.#snapshot = {
			...tables,
			target: this.#target.facts,
			session: {
				...figures, durationMs, engine, timer: this.#timer, takenAtMs: Date.now(), selfCpuMs: (cpu.user + cpu.system) / 1000,
			},
		};
		return this.#snapshot;
	}

	askForHolders(): void {
		this.#tell({kind: 'holders'});
	}

	setPaused(paused: boolean): void {
		this.#isPaused = paused;
		this.#heardMs = monotoneMs();
		this.#tell({kind: 'pause', paused});
		this.#setRunningPhase();
	}

	setIntervalMs(intervalMs: number): void {
		this.#tell({kind: 'interval', intervalMs: clampInterval(intervalMs)});
	}

	async hold(): Promise<boolean> {
		const number = ++this.#holds;
		let timer: NodeJS.Timeout | undefined;
		const answer = new Promise<boolean>(resolve => {
			this.#holding.set(number, resolve);
			timer = setTimeout(resolve, holdWaitMs, false);
		});
		this.#tell({kind: 'hold', number});
		const ended = async () => {
			await this.#exited;
			return true;
		};

		try {
			return await Promise.race([answer, ended()]);
		} finally {
			clearTimeout(timer);
			this.#holding.delete(number);
		}
	}

	resume(): void {
		this.#heardMs = monotoneMs();
		this.#tell({kind: 'resume'});
	}

	async close(): Promise<void> {
		if (!this.#isClosing) {
			this.#isClosing = true;
			this.#tell({kind: 'stop'});
			this.#worker.unref();
		}

		if (await this.#exitsWithin(closeWaitMs)) {
			return;
		}

		void this.#worker.terminate();
		// It counts as something to wait for again from that call on.
		this.#worker.unref();
		if (!await this.#exitsWithin(terminateWaitMs)) {
			this.#end('ended');
			// Output that is still awaited would keep the process alive.
			this.#worker.stdout.push(null);
			this.#worker.stderr.push(null);
			leaveWithoutWorkers();
		}
	}

	onChange(listener: () => void): () => void {
		this.#listeners.add(listener);
		return () => {
			this.#listeners.delete(listener);
		};
	}

	async #exitsWithin(ms: number): Promise<boolean> {
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<boolean>(resolve => {
			timer = setTimeout(resolve, ms, false);
		});
		const exited = async () => {
			await this.#exited;
			return true;
		};

		try {
			return await Promise.race([exited(), late]);
		} finally {
			clearTimeout(timer);
		}
	}

	#hear(report: Report): void {
		switch (report.kind) {
			case 'opened': {
				this.#engine = report.engine;
				this.#timer = report.timer ?? '';
				this.#note = report.note;
				this.#set({note: this.#sessionNote});
				// Nobody needs to be told before there are samples.
				this.#status = {...this.#status, canAskForHolders: report.canAskForHolders};
				break;
			}

			case 'finding': {
				this.#finding = report.finding;
				this.#set({note: this.#sessionNote});
				break;
			}

			case 'sampling': {
				this.#isSampling = true;
				this.#setRunningPhase();
				break;
			}

			case 'cpu': {
				this.#set({hasCpu: true});
				break;
			}

			case 'deadlocks': {
				this.#set({deadlockChanges: (this.#status.deadlockChanges ?? 0) + 1});
				break;
			}

			case 'held': {
				this.#holding.get(report.number)?.(true);
				break;
			}

			case 'tracer': {
				this.#set({tracer: report.who});
				break;
			}

			case 'trouble': {
				this.#set({note: report.reason ? `sampling fails: ${report.reason}` : this.#sessionNote});
				break;
			}

			case 'over': {
				this.#end(report.phase, report.message, report.hint || undefined);
				break;
			}
		}
	}

	get #sessionNote(): string | undefined {
		return [this.#note, this.#finding].filter(Boolean).join('; ') || undefined;
	}

	get #isOver(): boolean {
		return this.#status.phase === 'ended' || this.#status.phase === 'failed';
	}

	#setRunningPhase(): void {
		if (!this.#isOver) {
			const running = this.#isSampling ? 'sampling' : 'starting';
			this.#set({phase: this.#isPaused ? 'paused' : running});
		}
	}

	/** The first end is the one that counts; the worker's exit follows all others. */
	#end(phase: 'ended' | 'failed', message?: string, hint?: string): void {
		if (!this.#isOver) {
			this.#endedMs = monotoneMs();
			this.#set({
				phase, message, hint, silentS: undefined, nextS: undefined,
			});
		}
	}

	/**
	For how long no sample has come, or when the next one comes if the budget puts it off; neither while all is as it
	should be. A table that cannot be read is stale, not silent.
	*/
	#expected(image: TableImage | undefined): Pick<SourceStatus, 'silentS' | 'nextS'> {
		const nowMs = monotoneMs();
		if (this.#status.phase !== 'sampling' || image === undefined) {
			this.#heardMs = nowMs;
			return {silentS: undefined, nextS: undefined};
		}

		const {samples, intervalMs, requestedIntervalMs, lastSampleAtMs, nextAtMs} = image.figures;
		if (samples !== this.#samples) {
			this.#samples = samples;
			this.#heardMs = nowMs - Math.max(0, Date.now() - lastSampleAtMs);
		}

		const silentMs = nowMs - this.#heardMs;
		const isPutOff = nextAtMs - this.#heardMs >= putOffMs && intervalMs >= putOffIntervals * requestedIntervalMs && intervalMs >= putOffMs;
		const isSilent = silentMs > silentAfterMs + (silentAfterIntervals * intervalMs) || (isPutOff && nowMs > nextAtMs + sampleMs);
		return {
			silentS: isSilent ? Math.floor(silentMs / 1000) : undefined,
			nextS: isPutOff && !isSilent ? Math.ceil(Math.max(0, nextAtMs - nowMs) / 1000) : undefined,
		};
	}

	#set(change: Partial<SourceStatus>): void {
		const before = this.#status;
		const isNew = (Object.keys(change) as Array<keyof SourceStatus>).some(key => before[key] !== change[key]);
		if (isNew) {
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

/** Starts sampling a target in a worker. Never throws: what goes wrong is in the status. */
export function startSampler(options: SamplerOptions): SamplerHandle {
	return new LiveSampler(options);
}
