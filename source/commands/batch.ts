import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {endSignals, UserError} from '../runtime/errors.js';
import {type ExportOptions, type Format, piecesOf, type Written} from '../exports/common/export-format.js';
import {formatOf, formats, type ExportFormat} from '../exports/formats/registry.js';
import {GrowingFile} from '../exports/files/growing-file.js';
import type {Snapshot, TargetVitals} from '../model/snapshot.js';
import type {SnapshotSource, SourceStatus} from '../model/source.js';
import {deadlockText, deadlocksOf} from '../query/locks/deadlocks.js';
import {openVitals} from '../jvm/counters/vitals.js';
import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {queryOf} from '../options/query-options.js';
import {version} from '../runtime/bundle.js';
import {viewOf} from '../views/registry.js';

const startTimeoutMs = 30_000;
const pollMs = 20;

/** Waits until the condition holds, the deadline (monotonic) is over or `stop` aborts. */
export async function waitUntil(condition: () => boolean, deadlineMs: number, stop: AbortSignal, everyMs = pollMs): Promise<void> {
	while (!condition() && !stop.aborted && performance.now() < deadlineMs) {
		await sleep(Math.min(everyMs, deadlineMs - performance.now()));
	}
}

/** Prints the reports of the options, each at the end of its window. Returns the exit code; throws UserError. */
export async function runBatch(source: SnapshotSource, options: Options, target?: Target): Promise<number> {
	const {signal: stop} = abortOnSignal();
	const vitals = target && openVitals(target);
	try {
		return await withOutput(options, async write => {
			await printReports(source, options, {stop, readVitals: () => vitals?.read() ?? {}}, write);
			return 0;
		});
	} finally {
		vitals?.close();
	}
}

/** Runs `action` with a function that writes to --output, or else to standard output. */
export async function withOutput<T>({output}: Options, action: (write: (report: Written) => Promise<void>) => Promise<T>): Promise<T> {
	if (output === undefined) {
		return action(print);
	}

	const file = await GrowingFile.create(output);
	try {
		return await action(async report => file.append(report));
	} finally {
		await file.finish();
	}
}

async function printReports(source: SnapshotSource, options: Options, {stop, readVitals}: {readonly stop: AbortSignal; readVitals(): TargetVitals}, write: (report: Written) => Promise<void>): Promise<void> {
	const plan = planBatch(options);
	const format = formatOf(options.format);
	const exportOptions: ExportOptions = {
		query: queryOf(options),
		view: options.view === undefined ? undefined : viewOf(options.view),
		version,
		top: options.top,
		width: process.stdout.columns || undefined,
		depth: options.depth,
		states: options.states,
		withThreads: options.withThreads,
		withStates: options.withStates,
	};
	const hasSamples = () => (source.read()?.session.samples ?? 0) > 0;
	await waitUntil(() => isOver(source.status()) || hasSamples(), performance.now() + startTimeoutMs, stop);
	if (!hasSamples()) {
		if (stop.aborted) {
			return;
		}

		throw isOver(source.status())
			? failureOf(source.status())
			: new UserError(`no sample after ${startTimeoutMs / 1000} s`, {
				hint: source.status().message ?? 'the JVM or the machine may be hanging; try again, or try another --engine',
			});
	}

	let baseline: Snapshot | undefined;
	let printedDeadlocks = '';
	const startMs = performance.now();
	// The shares of the next reading are of the time since this one.
	readVitals();
	for (let iteration = 0; iteration < plan.count; iteration++) {
		await waitUntil(() => isOver(source.status()), startMs + (plan.windowMs * (iteration + 1)), stop);
		const snapshot = source.read();
		if (!snapshot) {
			break;
		}

		await write(format.write(snapshot, baseline, {...exportOptions, notes: batchNotes(source.status()), vitals: readVitals(), ...(plan.count > 1 ? {iteration} : {})}));
		const deadlocks = deadlocksOf(snapshot).map(deadlock => `tprof-top: ${deadlockText(deadlock)}\n`).join('');
		if (deadlocks !== printedDeadlocks) {
			printedDeadlocks = deadlocks;
			process.stderr.write(deadlocks);
		}

		baseline = snapshot;
		if (stop.aborted || isOver(source.status())) {
			break;
		}
	}

	if (source.status().phase === 'failed') {
		throw failureOf(source.status());
	}
}

/** Whether nothing more comes from a source. */
export function isOver({phase}: Pick<SourceStatus, 'phase'>): boolean {
	return phase === 'ended' || phase === 'failed' || phase === 'recording';
}

/** Returns why a source failed. */
export function failureOf({message, hint}: SourceStatus): UserError {
	return new UserError(message ?? 'the session failed', {hint});
}

/** Returns the notes of a report on its session, printable lines. */
export function batchNotes(status: SourceStatus): string[] {
	const {message, note, lineNote, stale, tracer} = status;
	return [
		...[note, lineNote].filter(text => text !== undefined),
		...(tracer ? [`${tracer} is tracing threads of this JVM; they are not sampled while it is attached`] : []),
		...(stale ? ['the latest counts could not be read in time; these are older'] : []),
		...(isOver(status) && message ? [message] : []),
	];
}

/** Writes to standard output, and waits for each piece; resolves even if it is a pipe whose reader has gone. */
async function print(report: Written): Promise<void> {
	for (const piece of piecesOf(report)) {
		await new Promise<void>(resolve => {
			process.stdout.write(piece, () => {
				resolve();
			});
		});
	}
}

/** Returns a controller that aborts at the first signal to end. */
export function abortOnSignal(): AbortController {
	const stop = new AbortController();
	for (const signal of endSignals) {
		process.once(signal, () => {
			stop.abort();
		});
	}

	return stop;
}

const defaultDelayS = 5;

/** The number of reports, and the time from each to the next. */
type BatchPlan = {readonly count: number; readonly windowMs: number};

/** Plans reports from -n, -d and --duration, of which two give the third. Throws UserError (2) if three disagree. */
export function planBatch({iterations, delayS, durationS}: {iterations?: number; delayS?: number; durationS?: number}): BatchPlan {
	if (durationS === undefined) {
		return {count: iterations ?? 1, windowMs: (delayS ?? defaultDelayS) * 1000};
	}

	if (delayS === undefined) {
		return {count: iterations ?? 1, windowMs: durationS * 1000 / (iterations ?? 1)};
	}

	if (iterations !== undefined && Math.abs((iterations * delayS) - durationS) > 0.001) {
		throw new UserError(`--iterations ${iterations} of --delay ${delayS} s do not add up to --duration ${durationS} s`, {hint: 'give two of the three options', exitCode: 2});
	}

	return {count: Math.max(1, Math.floor((durationS / delayS) + 1e-9)), windowMs: Math.min(delayS, durationS) * 1000};
}

/** Throws UserError (2) if the format cannot hold the reports, and for binary output to a terminal. `hasView`: they are of a view. */
export function checkFormat({id, streaming, binary, ofViews}: ExportFormat, options: Options, {hasView}: {readonly hasView: boolean}): void {
	const {count} = planBatch(options);
	if (hasView && !ofViews) {
		const others = formats.filter(format => format.ofViews).map(format => format.id).join(', ');
		throw new UserError(`--format ${id} has no views`, {hint: `drop --view, or use one of ${others}`, exitCode: 2});
	}

	if (!streaming && count > 1) {
		const others = formats.filter(format => format.streaming).map(format => format.id).join(', ');
		throw new UserError(`--format ${id} writes a single report, but these options ask for ${count}`, {hint: `drop --iterations and --delay, or use one of ${others}`, exitCode: 2});
	}

	checkBinary({id, binary}, options.output);
}

/** Throws UserError (2) for binary output to a terminal. */
export function checkBinary({id, binary}: Pick<Format, 'id' | 'binary'>, output: string | undefined): void {
	if (binary && output === undefined && process.stdout.isTTY) {
		throw new UserError(`--format ${id} is binary and cannot be shown on a terminal`, {hint: 'add --output FILE, or redirect it to a file or a pipe', exitCode: 2});
	}
}
