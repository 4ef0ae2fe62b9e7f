import process from 'node:process';
import {printable, safe, type Printable} from '../util/printable.js';
import {isOver, sourceOver, type SnapshotSource, type SourceStatus} from '../model/source.js';
import type {Options} from '../options/parse.js';
import {Recorder} from '../exports/recording/recorder.js';
import type {Target} from '../jvm/target.js';
import {formatBytes, formatCount, formatDuration} from '../query/columns/format.js';
import {costPercent} from '../query/counters/share.js';
import {ratesOf} from '../query/past/windows.js';
import type {Ring} from '../query/past/past-ring.js';
import {UserError} from '../runtime/errors.js';
import type {RecordingToggle} from '../ui/screens/session-effects.js';
import {abortOnSignal, failureOf, waitUntil} from './batch.js';
import {recordingName} from './save.js';
import {Windows} from './sampled.js';

const windowMs = 1000;
const pollMs = 100;

/** Records a source until it ends, --duration is over or a signal comes. Returns the exit code; throws UserError. */
export async function recordSession(source: SnapshotSource, target: Target, options: Options): Promise<number> {
	const recorder = await Recorder.create(options.output ?? recordingName(target.facts.pid), options.maxBytes);
	const windows = new Windows(source, target);
	const progress = new Progress();
	const {signal: stop} = abortOnSignal();
	try {
		await eachWindow(() => isOver(source.status()), options.durationS, stop, async isLast => {
			const ring = windows.follow(isLast);
			// Not awaited: windows stay a second long while older ones are merged.
			void recorder.follow(ring, 0);
			progress.show(
				lineOf(recorder, ring),
				recorder.problem && `${recorder.name}: ${recorder.problem}; sampling goes on`,
			);
		});
	} finally {
		await recorder.finish();
		windows.close();
	}

	if (recorder.windows === 0) {
		throw recorder.problem === undefined
			? failureOf(source.status())
			: new UserError(`the recording is lost: ${recorder.problem}`);
	}

	const {phase, message = 'the JVM has ended'} = source.status();
	progress.end([
		lineOf(recorder, windows.ring, 'recorded'),
		...(isOver({phase}) ? [message] : []),
		`tprof-top open ${recorder.name} shows it${recorder.problem === undefined ? '' : ` (${recorder.problem})`}`,
	].join('; '));
	return recorder.problem === undefined && phase !== 'failed' ? 0 : 1;
}

/**
Calls `follow` each second, or `everyMs`; the last time when the session ends, the time is over or a signal comes.
*/
export async function eachWindow(
	hasEnded: () => boolean,
	durationS: number | undefined,
	stop: AbortSignal,
	follow: (isLast: boolean) => Promise<void>,
	everyMs = windowMs,
): Promise<void> {
	const endMs = performance.now() + ((durationS ?? Infinity) * 1000);
	let nextMs = performance.now() + everyMs;
	const isToEnd = () => stop.aborted || hasEnded() || performance.now() >= endMs;
	let isLast = isToEnd();
	while (!isLast) {
		await waitUntil(isToEnd, Math.min(nextMs, endMs), stop, pollMs);
		// The window after a late one has at least half its length.
		nextMs = Math.max(nextMs + everyMs, performance.now() + (everyMs / 2));
		isLast = isToEnd();
		await follow(isLast);
	}
}

/** Returns the progress line: time, samples, rate, size, cost. */
function lineOf(recorder: Recorder, {newest}: Ring, verb = 'recording'): string {
	if (!newest) {
		return `${verb} ${recorder.name}: no sample yet`;
	}

	const {session} = newest;
	const {samplesPerS = 0, ownCpuPercent = 0} = ratesOf(newest, undefined);
	return [
		`${verb} ${recorder.name} ${formatDuration(session.durationMs)}`,
		`${formatCount(session.samples)} samples`,
		`${Math.round(samplesPerS)}/s`,
		formatBytes(recorder.bytes),
		`costs ${(costPercent(session) ?? 0).toFixed(1)}% of target`,
		`own CPU ${ownCpuPercent.toFixed(1)}%`,
	].join('  ');
}

const showMs = 200;

/** Calls `show` several times a second while an action runs. */
export async function showing(show: () => void, action: () => Promise<void>): Promise<void> {
	const timer = setInterval(show, showMs);
	try {
		await action();
	} finally {
		clearInterval(timer);
	}
}

/**
Writes progress to standard error: a line that changes on a terminal, elsewhere each new problem and the last line.
*/
export class Progress {
	#problem: string | undefined;

	/** `resumed`: what is said when a problem is over. */
	show(text: string, problem: string | undefined, resumed = 'recording goes on'): void {
		const {isTTY, columns} = process.stderr;
		if (isTTY) {
			process.stderr.write(`\r\u001B[K${
				printable(problem === undefined ? text : `${text}  ! ${problem}`).slice(0, columns - 1)
			}`);
		} else if (problem !== this.#problem) {
			process.stderr.write(`tprof-top: ${printable(problem ?? resumed)}\n`);
		}

		this.#problem = problem;
	}

	/** Writes the last line, which stays. */
	end(text: string): void {
		process.stderr.write(`${process.stderr.isTTY ? '\r\u001B[K' : ''}${printable(text, 4096)}\n`);
	}
}

/** Records the session on the screen when the user asks for it. */
export class LiveRecorder implements RecordingToggle {
	/** The source whose status names the recording and its problem. */
	readonly source: SnapshotSource;
	readonly #options: Options;
	#recorder: Recorder | undefined;

	constructor(inner: SnapshotSource, options: Options) {
		this.#options = options;
		this.source = sourceOver(inner, {status: () => ({...inner.status(), ...this.#status()})});
	}

	/** Begins to record to a file, if one is named. Throws UserError. */
	async begin(file: string | undefined): Promise<void> {
		this.#recorder = file === undefined ? undefined : await Recorder.create(file, this.#options.maxBytes);
	}

	async toggle(ring: Ring): Promise<Printable> {
		const recorder = this.#recorder;
		if (recorder) {
			await this.end();
			const problem = recorder.problem ?? (recorder.windows === 0 ? safe`no sample was taken` : undefined);
			return problem === undefined
				? safe`recorded ${recorder.name}; tprof-top open shows it`
				: safe`${recorder.name}: ${problem}`;
		}

		await this.begin(recordingName(ring.newest?.target.pid ?? 0, this.#options.snapshotDir));
		await this.#recorder!.follow(ring);
		return safe`recording to ${this.#recorder!.name}; w ends it`;
	}

	follow(ring: Ring): void {
		void this.#recorder?.follow(ring);
	}

	async end(): Promise<void> {
		const recorder = this.#recorder;
		this.#recorder = undefined;
		await recorder?.finish();
	}

	#status(): Partial<SourceStatus> {
		const {name, problem} = this.#recorder ?? {};
		return {recordedTo: name, ...(problem === undefined ? {} : {message: safe`${name ?? ''}: ${problem}`})};
	}
}
