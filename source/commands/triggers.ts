import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {Recorder} from '../exports/recording/recorder.js';
import type {Target} from '../jvm/target.js';
import type {Snapshot} from '../model/snapshot.js';
import {isOver, type SnapshotSource} from '../model/source.js';
import type {Options} from '../options/parse.js';
import type {Condition} from '../options/table.js';
import {corePercent} from '../query/counters/share.js';
import {membersOfAll} from '../query/counters/thread-table.js';
import {deadlocksOf} from '../query/locks/deadlocks.js';
import {isHeldUpNow, stuckMs} from '../query/locks/newest-sample.js';
import type {Ring, RingWindow} from '../query/past/past-ring.js';
import {readBody} from '../query/past/window-body.js';
import {usage} from '../runtime/errors.js';
import {abortOnSignal, failureOf} from './batch.js';
import {eachJvm, type JvmSampler} from './each-jvm.js';
import {eachWindow, Progress, showing} from './record.js';
import {sampled, Windows} from './sampled.js';
import {utcStamp} from './save.js';

/** Time recorded before and after a trigger, and the minimum between two. */
const aroundMs = 60_000;

/**
A condition may begin to hold this long before the end of the window that shows it: the minute before is then whole.
*/
const latenessMs = 2000;

/** Time-out of --exec. */
const execMs = 60_000;

/** In the units of `Condition`. */
const figures: Readonly<Record<Condition['figure'], (snapshot: Snapshot, window: RingWindow) => number>> = {
	cpu: (_, {cpuNs, sampledMs}) => corePercent(cpuNs, sampledMs),
	blocked: snapshot => membersOfAll(snapshot.threads, contending(snapshot)),
	stuck: snapshot => Math.max(0, ...contending(snapshot).map(thread => stuckMs(snapshot, thread))) / 1000,
	gc: (_, window) => readBody(window.body()).vitals.gcPercent ?? 0,
	deadlock: snapshot => deadlocksOf(snapshot).length,
};

/** Threads that wait for a lock that another one holds. */
function contending(snapshot: Snapshot): number[] {
	return Array.from({length: snapshot.threads.count}, (_, thread) => thread).filter(thread =>
		isHeldUpNow(snapshot, thread, {}));
}

/** A target that is watched: how the names of its files begin, and the file that is being written. */
type Watched = {readonly stem: string; recorder?: Recorder; fired: Fired; wasTrue: boolean};

/** When a condition began to hold: the time of the window that showed it, and by `performance.now()`. */
type Fired = {readonly atMs: number; readonly monotonicMs: number};

/** Each time a condition begins to hold for a target, writes the minute before and after to a file. */
class Watcher implements JvmSampler {
	problem: string | undefined;
	omissionNote: string | undefined;
	readonly stop = abortOnSignal().signal;
	readonly #options: Options;
	/** What went wrong with a file or with the command after it, the last time. */
	#failure: string | undefined;
	/** How many more files may be begun, for all targets together; one that cannot be created counts too. */
	#filesLeft: number;
	#newestFile: string | undefined;
	readonly #watched = new Set<Watched>();
	readonly #commands: Array<Promise<void>> = [];
	readonly #progress = new Progress();

	constructor(options: Options) {
		this.#options = options;
		this.#filesLeft = options.maxFiles;
	}

	/** Samples and follows a target. Throws UserError if it cannot be sampled. */
	async sample(target: Target): Promise<void> {
		return sampled(target, this.#options, async source => this.follow(source, target));
	}

	/** Follows a target until its time is over, it ends or a signal comes. Throws UserError if it cannot be sampled. */
	async follow(source: SnapshotSource, target: Target): Promise<void> {
		const windows = new Windows(source, target);
		const {output, all} = this.#options;
		const stem = `${output?.replace(/\.tprof$/, '') ?? 'tprof'}${
			output === undefined || all ? `-${target.pid}` : ''
		}`;
		const watched: Watched = {stem, fired: {atMs: -Infinity, monotonicMs: -Infinity}, wasTrue: false};
		this.#watched.add(watched);
		try {
			await eachWindow(() => isOver(source.status()), this.#options.durationS, this.stop, async isLast => {
				await this.#check(watched, windows.follow(isLast));
			});
		} finally {
			await this.#finish(watched);
			this.#watched.delete(watched);
			windows.close();
		}

		if (source.status().phase === 'failed') {
			throw failureOf(source.status());
		}
	}

	/** Shows how it goes while `watch` runs, then what came of it. Returns the exit code; throws what `watch` does. */
	async run(what: string, watch: () => Promise<void>): Promise<number> {
		try {
			await showing(() => {
				const problems = [...this.#watched].map(({recorder}) => recorder?.problem);
				const problem = problems.find(text => text !== undefined) ?? this.#failure ?? this.problem
					?? this.omissionNote;
				this.#progress.show(
					`watching ${this.#options.all ? `${this.#watched.size} JVMs` : what}  ${this.#counts()}`,
					problem,
				);
			}, watch);
		} finally {
			await Promise.all(this.#commands);
			this.#progress.end(`watched ${what}: ${this.#counts()}${this.#failure === undefined ? '' : `; ${this.#failure}`}`);
		}

		return this.#failure === undefined ? 0 : 1;
	}

	/** Begins a file if the newest window fulfils a condition, and writes to it. Never throws. */
	async #check(watched: Watched, ring: Ring): Promise<void> {
		const window = ring.windows.at(-1);
		const {newest} = ring;
		if (!window || !newest) {
			return;
		}

		const isTrue = this.#options.when!.some(({figure, above}) => figures[figure](newest, window) > above);
		const hasBegun = isTrue && !watched.wasTrue;
		watched.wasTrue = isTrue;
		const sinceMs = performance.now() - watched.fired.monotonicMs;
		if (hasBegun && !watched.recorder && this.#filesLeft > 0 && sinceMs >= aroundMs) {
			watched.fired = {atMs: window.atMs, monotonicMs: performance.now()};
			this.#filesLeft--;
			try {
				watched.recorder = await Recorder.create(
					`${watched.stem}-${utcStamp(Date.now())}.tprof`,
					this.#options.maxBytes,
				);
			} catch (error) {
				this.#failure = (error as Error).message;
			}
		}

		const fromMs = watched.fired.atMs - latenessMs - aroundMs;
		await watched.recorder?.follow(ring, ring.windows.findIndex(({atMs}) => atMs > fromMs));
		if (performance.now() - watched.fired.monotonicMs >= aroundMs) {
			await this.#finish(watched);
		}
	}

	/** Finishes the file that is being written, if any, and begins to run --exec. */
	async #finish(watched: Watched): Promise<void> {
		const {recorder} = watched;
		if (!recorder) {
			return;
		}

		watched.recorder = undefined;
		await recorder.finish();
		if (recorder.problem !== undefined) {
			this.#failure = `${recorder.name}: ${recorder.problem}`;
		}

		if (recorder.windows > 0) {
			this.#newestFile = recorder.name;
			this.#commands.push(...(this.#options.exec === undefined ? [] : [this.#run(recorder.file)]));
		}
	}

	async #run(file: string): Promise<void> {
		const child = spawn('/bin/sh', ['-c', `${this.#options.exec} "$1"`, 'tprof-top', file], {
			stdio: ['ignore', 'ignore', 'inherit'],
			timeout: execMs,
		});
		try {
			const [code, signal] = await once(child, 'exit') as [code: number | null, signal: string | null];
			if (code !== 0) {
				throw new Error(signal ?? `exit code ${code}`);
			}
		} catch (error) {
			this.#failure = `--exec failed for ${file}: ${(error as Error).message}`;
		}
	}

	#counts(): string {
		const {maxFiles} = this.#options;
		return `${maxFiles - this.#filesLeft} of ${maxFiles} files${
			this.#newestFile === undefined ? '' : `, the last ${this.#newestFile}`
		}`;
	}
}

/** Records a target around each --when. Returns the exit code; throws UserError. */
export async function recordWhen(source: SnapshotSource, target: Target, options: Options): Promise<number> {
	const watcher = new Watcher(options);
	return watcher.run(`${target.pid} ${target.facts.mainClass}`, async () => watcher.follow(source, target));
}

/** Records every JVM of this host around each --when, including those that start later. */
export async function watchAll(options: Options): Promise<number> {
	if (!options.all || !options.when) {
		throw usage('watch needs --all and --when', 'tprof-top watch --all --when "cpu>300,deadlock"');
	}

	const watcher = new Watcher(options);
	return watcher.run('all JVMs', async () => eachJvm(options, watcher));
}
