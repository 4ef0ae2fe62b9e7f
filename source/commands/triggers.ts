import {spawn} from 'node:child_process';
import {Recorder} from '../exports/recording/recorder.js';
import type {Target} from '../jvm/target.js';
import type {Snapshot} from '../model/snapshot.js';
import type {SnapshotSource} from '../model/source.js';
import type {Options} from '../options/parse.js';
import type {Condition} from '../options/table.js';
import {corePercent} from '../query/counters/share.js';
import {membersOfAll} from '../query/counters/threads.js';
import {deadlocksOf} from '../query/locks/deadlocks.js';
import {isContendingNow, stuckMs} from '../query/locks/newest-sample.js';
import type {Ring, RingWindow} from '../query/past/ring.js';
import {readBody} from '../query/past/window-body.js';
import {usage} from '../runtime/errors.js';
import {abortOnSignal, failureOf, isOver} from './batch.js';
import {eachJvm} from './each-jvm.js';
import {eachWindow, Progress} from './record.js';
import {sampled, Windows} from './sampled.js';
import {utcStamp} from './save.js';

/** Time recorded before and after a trigger, and the minimum between two. */
const aroundMs = 60_000;

/** A condition may begin to hold this long before the end of the window that shows it: the minute before is then whole. */
const latenessMs = 2000;

/** Time-out of --exec. */
const execMs = 60_000;

const figures: Readonly<Record<Condition['figure'], (snapshot: Snapshot, window: RingWindow) => number>> = {
	cpu: (_, {cpuNs, sampledMs}) => corePercent(cpuNs, sampledMs),
	blocked: snapshot => membersOfAll(snapshot.threads, contending(snapshot)),
	stuck: snapshot => Math.max(0, ...contending(snapshot).map(thread => stuckMs(snapshot, thread))) / 1000,
	gc: (_, window) => readBody(window.body()).vitals.gcPercent ?? 0,
	deadlock: snapshot => deadlocksOf(snapshot).length,
};

/** Threads that wait for a lock that another one holds. */
function contending(snapshot: Snapshot): number[] {
	return Array.from({length: snapshot.threads.count}, (_, thread) => thread).filter(thread => isContendingNow(snapshot, thread));
}

/** How many more files may be started, for all targets together; one that cannot be created counts too. */
type FileCount = {left: number};

/** Each time a condition begins to hold, writes the minute before and after to a file. */
class Trigger {
	/** Why the current file cannot be written. */
	problem: string | undefined;
	/** What went wrong with the last file, or with the command after it, that failed. */
	failure: string | undefined;
	newestFile: string | undefined;
	readonly #commands: Array<Promise<void>> = [];
	readonly #options: Options;
	readonly #stem: string;
	readonly #files: FileCount;
	#recorder: Recorder | undefined;
	#firedMs = -Infinity;
	#wasTrue = false;

	/** `stem`: the start of the files' names. */
	constructor(options: Options, stem: string, files: FileCount) {
		this.#options = options;
		this.#stem = stem;
		this.#files = files;
	}

	/** Checks the newest window. Never throws. */
	async follow(ring: Ring): Promise<void> {
		const window = ring.windows.at(-1);
		const {newest} = ring;
		if (!window || !newest) {
			return;
		}

		const isTrue = this.#options.when!.some(({figure, above}) => figures[figure](newest, window) > above);
		const hasBegun = isTrue && !this.#wasTrue;
		this.#wasTrue = isTrue;
		if (hasBegun && !this.#recorder && this.#files.left > 0 && window.atMs - this.#firedMs >= aroundMs) {
			await this.#begin(window.atMs);
		}

		if (this.#recorder) {
			const first = ring.windows.findIndex(({atMs}) => atMs > this.#firedMs - latenessMs - aroundMs);
			await this.#recorder.follow(ring, Math.max(0, first));
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
			this.#recorder = await Recorder.create(`${this.#stem}-${utcStamp(Date.now())}.tprof`, this.#options.maxBytes);
		} catch (error) {
			this.failure = (error as Error).message;
		}
	}

	async #finish(): Promise<void> {
		const recorder = this.#recorder;
		this.#recorder = undefined;
		if (!recorder) {
			return;
		}

		await recorder.finish();
		this.problem = undefined;
		if (recorder.problem !== undefined) {
			this.failure = `${recorder.name}: ${recorder.problem}`;
		}

		if (recorder.windows > 0) {
			this.newestFile = recorder.name;
			if (this.#options.exec !== undefined) {
				this.#commands.push(this.#run(this.#options.exec, recorder.file));
			}
		}
	}

	async #run(command: string, file: string): Promise<void> {
		const child = spawn('/bin/sh', ['-c', `${command} "$1"`, 'tprof-top', file], {stdio: ['ignore', 'ignore', 'inherit'], timeout: execMs});
		const outcome = await new Promise<string>(resolve => {
			child.on('error', ({message}) => {
				resolve(message);
			});
			child.on('exit', (code, signal) => {
				resolve(code === 0 ? '' : (signal ?? `exit code ${code}`));
			});
		});
		if (outcome !== '') {
			this.failure = `--exec failed for ${file}: ${outcome}`;
		}
	}
}

function stemOf({output = 'tprof'}: Options): string {
	return output.replace(/\.tprof$/, '');
}

/** Records a target around each --when. Returns the exit code; throws UserError. */
export async function recordWhen(source: SnapshotSource, target: Target, options: Options): Promise<number> {
	const files: FileCount = {left: options.maxFiles};
	const {signal} = abortOnSignal();
	const progress = new Progress();
	const {failure, newestFile} = await watchTarget(source, target, options, {
		files, stop: signal, stem: options.output === undefined ? `tprof-${target.facts.pid}` : stemOf(options), show({newestFile, problem, failure}) {
			progress.show(`watching ${target.facts.pid} ${target.facts.mainClass}  ${countOf(options, files, newestFile)}`, problem ?? failure);
		},
	});
	progress.end(`watched ${target.facts.pid} ${target.facts.mainClass}: ${countOf(options, files, newestFile)}${failure === undefined ? '' : `; ${failure}`}`);
	if (source.status().phase === 'failed') {
		throw failureOf(source.status());
	}

	return failure === undefined ? 0 : 1;
}

function countOf({maxFiles}: Options, {left}: FileCount, newestFile: string | undefined): string {
	return `${maxFiles - left} of ${maxFiles} files${newestFile === undefined ? '' : `, the last ${newestFile}`}`;
}

/** Follows one target until its time is over, it ends or `stop`; `show` is called after each window. */
async function watchTarget(source: SnapshotSource, target: Target, options: Options, {files, stop, stem, show}: {readonly files: FileCount; readonly stop: AbortSignal; readonly stem: string; show(trigger: Trigger): void}): Promise<Trigger> {
	const windows = new Windows(source, target);
	const trigger = new Trigger(options, stem, files);
	try {
		await eachWindow(() => isOver(source.status()), options.durationS, stop, async isLast => {
			await trigger.follow(windows.follow(isLast));
			show(trigger);
		});
	} finally {
		await trigger.close();
		windows.close();
	}

	return trigger;
}

/** Records every JVM of this host around each --when, including those that start later. */
export async function watchAll(options: Options): Promise<number> {
	if (!options.all || !options.when) {
		throw usage('watch needs --all and --when', 'tprof-top watch --all --when "cpu>300,deadlock"');
	}

	const files: FileCount = {left: options.maxFiles};
	const {signal: stop} = abortOnSignal();
	const progress = new Progress();
	let problem: string | undefined;
	let failure: string | undefined;
	let newestFile: string | undefined;
	const take = (trigger: Trigger) => {
		newestFile = trigger.newestFile ?? newestFile;
		failure = trigger.failure ?? failure;
		problem = trigger.problem ?? failure ?? problem;
	};

	await eachJvm(options, {
		stop,
		async sample(target) {
			await sampled(target, options, async source => {
				take(await watchTarget(source, target, options, {
					files, stop, stem: `${stemOf(options)}-${target.pid}`, show: take,
				}));
				if (source.status().phase === 'failed') {
					throw failureOf(source.status());
				}
			});
		},
		onProblem(text) {
			problem = text;
		},
		onPoll(count) {
			progress.show(`watching ${count} JVMs  ${countOf(options, files, newestFile)}`, problem);
		},
	});
	progress.end(`watched for ${countOf(options, files, newestFile)}${failure === undefined ? '' : `; ${failure}`}`);
	return failure === undefined ? 0 : 1;
}
