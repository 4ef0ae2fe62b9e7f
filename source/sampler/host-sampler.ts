import type {Worker} from 'node:worker_threads';
import type {Target} from '../jvm/target.js';
import type {Snapshot} from '../model/snapshot.js';
import {TableReader, type TableImage} from '../table/table-reader.js';
import {safe} from '../util/printable.js';
import {monotonicMs, steadyNow} from '../util/steady-clock.js';
import {endWorker, startWorker, youngGeneration} from './worker-thread.js';

/** A JVM to sample. `isAtRest`: it uses almost no CPU time, and is sampled more rarely. */
export type HostTarget = {readonly target: Target; readonly isAtRest: boolean};

/** `isShort`: the worker runs for some seconds only, and takes as many samples as can be of use. */
export type HostOptions = {readonly isShort: boolean};

/** From the main thread to the worker. */
export type HostCommand =
	| {readonly kind: 'follow'; readonly targets: readonly HostTarget[]}
	| {readonly kind: 'pause'; readonly isPaused: boolean}
	| {readonly kind: 'stop'};

/** From the worker to the main thread: a JVM's table, or that it cannot be sampled without disturbing it. */
export type HostReport =
	| {readonly kind: 'opened'; readonly pid: number; readonly startTicks: number; readonly table: SharedArrayBuffer}
	| {readonly kind: 'refused'; readonly pid: number; readonly startTicks: number};

/** How long the main thread may be blocked by a table's lock. */
const readWaitMs = 5;

type Read = {
	readonly startTicks: number;
	readonly reader: TableReader;
	image?: TableImage;
	snapshot?: Snapshot;
};

/**
Samples many JVMs in one worker, each every few seconds and only by reading their memory: nothing is recorded, stopped
or attached to. The CPU time for all of them has one bound.
*/
export class HostSampler {
	readonly #worker: Worker;
	readonly #exited: Promise<void>;
	readonly #reads = new Map<number, Read>();
	#followed = '';
	#hasEnded = false;

	constructor(options: HostOptions) {
		this.#worker = startWorker('host-worker.js', {
			name: 'host-sampler',
			workerData: options,
			execArgv: [],
			resourceLimits: youngGeneration,
			// Node's warnings must not reach the terminal.
			stdout: true,
			stderr: true,
		});
		this.#worker.stdout.resume();
		this.#worker.stderr.resume();
		this.#worker.on('message', (report: HostReport) => {
			if (report.kind === 'opened') {
				const {startTicks, table} = report;
				this.#reads.set(report.pid, {startTicks, reader: new TableReader(table)});
			}
		});
		// The table of JVMs works without it: findings are missing.
		this.#worker.on('error', () => {
			this.#hasEnded = true;
		});
		this.#exited = new Promise(resolve => {
			this.#worker.on('exit', () => {
				this.#hasEnded = true;
				resolve();
			});
		});
	}

	/** Samples these JVMs from now on, and no others. */
	follow(targets: readonly HostTarget[]): void {
		const followed = targets.map(({target, isAtRest}) => `${target.pid} ${target.startTicks} ${isAtRest}`).join(',');
		if (followed !== this.#followed && !this.#hasEnded) {
			this.#followed = followed;
			this.#tell({kind: 'follow', targets});
			const pids = new Set(targets.map(({target}) => target.pid));
			for (const pid of this.#reads.keys()) {
				if (!pids.has(pid)) {
					this.#reads.delete(pid);
				}
			}
		}
	}

	/** Takes no more samples, or goes on. */
	setPaused(isPaused: boolean): void {
		this.#tell({kind: 'pause', isPaused});
	}

	/** Returns what has been counted of a JVM; undefined before its first sample. The same object if nothing is new. */
	snapshotOf({pid, startTicks, facts}: Target): Snapshot | undefined {
		const read = this.#reads.get(pid);
		const image = read?.startTicks === startTicks ? read.reader.read(readWaitMs) : undefined;
		if (!read || !image || image.figures.samples === 0) {
			return read?.startTicks === startTicks ? read.snapshot : undefined;
		}

		if (image !== read.image) {
			const {figures: {countedAtMs, nextAtMs, refreshEvery, ...figures}, ...tables} = image;
			read.image = image;
			read.snapshot = {
				...tables,
				target: facts,
				session: {
					...figures,
					engine: safe``,
					timer: safe``,
					takenAtMs: steadyNow() - Math.max(0, monotonicMs() - countedAtMs),
					selfCpuMs: 0,
				},
			};
		}

		return read.snapshot;
	}

	async close(): Promise<void> {
		if (!this.#hasEnded) {
			this.#tell({kind: 'stop'});
			this.#worker.unref();
		}

		await endWorker(this.#worker, this.#exited);
	}

	#tell(command: HostCommand): void {
		this.#worker.postMessage(command);
	}
}
