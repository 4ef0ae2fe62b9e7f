import {spawn} from 'node:child_process';
import {nameOf, Recorder} from '../exports/recording/recorder.js';
import type {Snapshot} from '../model/snapshot.js';
import type {Condition} from '../options/conditions.js';
import type {Options} from '../options/parse.js';
import {corePercent} from '../query/counters/cpu-time.js';
import {membersOfAll} from '../query/counters/members.js';
import {deadlocksOf} from '../query/locks/deadlocks.js';
import {isContendingNow, stuckMs} from '../query/locks/newest-sample.js';
import type {Ring, RingWindow} from '../query/past/ring.js';
import {readBody} from '../query/past/window-body.js';
import {version} from '../runtime/bundle.js';
import {maxBytesOf} from './record.js';
import {utcStamp} from './save.js';

/** Time recorded before and after a trigger, and minimum time between two. */
const aroundMs = 60_000;

/** Time-out of --exec. */
const execMs = 60_000;

/** Whether one of the conditions holds in a window. */
export function holds(conditions: readonly Condition[], snapshot: Snapshot, window: RingWindow): boolean {
	return conditions.some(condition => condition.figure === 'deadlock' ? deadlocksOf(snapshot).length > 0 : figures[condition.figure](snapshot, window) > condition.above);
}

const figures: Readonly<Record<Exclude<Condition['figure'], 'deadlock'>, (snapshot: Snapshot, window: RingWindow) => number>> = {
	cpu: (_, {cpuNs, sampledMs}) => corePercent(cpuNs, sampledMs),
	blocked: snapshot => membersOfAll(snapshot.threads, contending(snapshot)),
	stuck: snapshot => Math.max(0, ...contending(snapshot).map(thread => stuckMs(snapshot, thread))) / 1000,
	gc: (_, window) => readBody(window.body()).vitals.gcPercent ?? 0,
};

/** Threads that wait for a lock that another one holds. */
function contending(snapshot: Snapshot): number[] {
	return Array.from({length: snapshot.threads.count}, (_, thread) => thread).filter(thread => isContendingNow(snapshot, thread));
}

/** Files that may still be written, for all targets together. */
export type FileCount = {left: number};

/** Each time a condition begins to hold, writes the minute before and after to a file. */
export class Trigger {
	/** The last problem, and the name of the newest file. */
	problem: string | undefined;
	newest: string | undefined;
	/** Commands that run after files. */
	readonly #commands: Array<Promise<void>> = [];
	readonly #options: Options;
	readonly #stem: string;
	readonly #files: FileCount;
	#recorder: Recorder | undefined;
	#firedMs = -Infinity;
	#held = false;

	/** `stem`: what names of files begin with. */
	constructor(options: Options, stem: string, files: FileCount) {
		this.#options = options;
		this.#stem = stem;
		this.#files = files;
	}

	/** Checks the newest window. Never throws. */
	async follow(ring: Ring): Promise<void> {
		const window = ring.windows.at(-1);
		if (!window || !ring.newest) {
			return;
		}

		const isHeld = holds(this.#options.when ?? [], ring.newest, window);
		const begins = isHeld && !this.#held;
		this.#held = isHeld;
		if (begins && !this.#recorder && this.#files.left > 0 && window.atMs - this.#firedMs >= aroundMs) {
			await this.#begin(window.atMs);
		}

		if (this.#recorder) {
			await this.#recorder.follow(ring, Math.max(0, ring.windows.findIndex(({atMs}) => atMs > this.#firedMs - aroundMs)));
			this.problem = this.#recorder.problem;
			if (window.atMs >= this.#firedMs + aroundMs) {
				await this.#finish();
			}
		}
	}

	/** Finishes the current file, and waits for commands. */
	async close(): Promise<void> {
		await this.#finish();
		await Promise.all(this.#commands);
	}

	async #begin(atMs: number): Promise<void> {
		this.#firedMs = atMs;
		this.#files.left--;
		try {
			this.#recorder = await Recorder.create(`${this.#stem}-${utcStamp(Date.now())}.tprof`, {version, maxBytes: maxBytesOf(this.#options)});
		} catch (error) {
			this.problem = (error as Error).message;
		}
	}

	async #finish(): Promise<void> {
		const recorder = this.#recorder;
		this.#recorder = undefined;
		await recorder?.finish();
		if (recorder && recorder.windows > 0) {
			this.newest = nameOf(recorder);
			if (this.#options.exec !== undefined) {
				this.#commands.push(this.#run(this.#options.exec, recorder.file));
			}
		}
	}

	async #run(command: string, file: string): Promise<void> {
		const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'tprof-top', file], {stdio: ['ignore', 'ignore', 'inherit'], timeout: execMs});
		const code = await new Promise(resolve => {
			child.on('error', resolve);
			child.on('exit', resolve);
		});
		if (code !== 0) {
			this.problem = `--exec failed for ${file}`;
		}
	}
}
