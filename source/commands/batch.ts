import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {safe, type Printable} from '../util/printable.js';
import {endSignals, usage, UserError} from '../runtime/errors.js';
import {type ExportOptions, type Format, piecesOf, type Written} from '../exports/common/export-format.js';
import {formatOf, exportFormats, type ExportFormat} from '../exports/formats/format-registry.js';
import {GrowingFile} from '../exports/files/growing-file.js';
import type {Snapshot, TargetVitals} from '../model/snapshot.js';
import {isOver, type SnapshotSource, type SourceStatus} from '../model/source.js';
import {deadlockText, deadlocksOf} from '../query/locks/deadlocks.js';
import {openVitals} from '../jvm/counters/vitals.js';
import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {queryOfOptions} from '../options/query-options.js';
import {version} from '../util/version.js';
import {viewOf} from '../views/view-registry.js';
import {openSources} from './sources.js';

const startTimeoutMs = 30_000;
const pollMs = 20;

/** Waits until the condition holds, the deadline (performance.now()) has passed or `stop` aborts. */
export async function waitUntil(
	condition: () => boolean,
	deadlineMs: number,
	stop: AbortSignal,
	everyMs = pollMs,
): Promise<void> {
	while (!condition() && !stop.aborted && performance.now() < deadlineMs) {
		// Node warns of a negative time-out.
		await sleep(Math.max(0, Math.min(everyMs, deadlineMs - performance.now())));
	}
}

/** A report's snapshot, and what the target's own figures were then. */
type Reported = {readonly snapshot: Snapshot; readonly vitals: TargetVitals};

/** What a command adds to its reports; `exitCode`: by the last one. */
type Additions = Pick<ExportOptions, 'facts'> & {exitCode?(last: Reported): number};

/** Prints the reports of the options, each at the end of its window. Returns the exit code; throws UserError. */
export async function runBatch(
	source: SnapshotSource,
	options: Options,
	target?: Target,
	{facts, exitCode}: Additions = {},
): Promise<number> {
	const {signal: stop} = abortOnSignal();
	const vitals = target && openVitals(target);
	openSources(options, target);
	try {
		return await withOutput(options, async write => {
			const last = await printReports(
				source,
				options,
				{stop, facts, readVitals: () => vitals?.read() ?? {}},
				write,
			);
			return last ? exitCode?.(last) ?? 0 : 0;
		});
	} finally {
		vitals?.close();
	}
}

/** Runs `action` with a function that writes to --output, or else to standard output. */
export async function withOutput<T>(
	{output}: Options,
	action: (write: (report: Written) => Promise<void>) => Promise<T>,
): Promise<T> {
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

/** Returns the last report; undefined if there was none. */
async function printReports(
	source: SnapshotSource,
	options: Options,
	{stop, facts, readVitals}: Pick<ExportOptions, 'facts'> & {
		readonly stop: AbortSignal;
		readVitals(): TargetVitals;
	},
	write: (report: Written) => Promise<void>,
): Promise<Reported | undefined> {
	const plan = planBatch(options);
	const format = formatOf(options.format);
	const {view, top, depth, states, withThreads, withStates} = options;
	const exportOptions: ExportOptions = {
		query: queryOfOptions(options),
		view: view === undefined ? undefined : viewOf(view),
		version,
		top,
		depth,
		states,
		withThreads,
		withStates,
		facts,
		width: process.stdout.columns || undefined,
	};
	if (!await hasFirstSample(source, stop)) {
		return undefined;
	}

	let last: Reported | undefined;
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

		const vitals = {...readVitals(), ...source.figures?.()};
		await write(format.write(snapshot, last?.snapshot, {
			...exportOptions,
			query: {...exportOptions.query, vitals: {now: vitals, recent: []}},
			notes: batchNotes(source.status()),
			vitals,
			...(plan.count > 1 ? {iteration} : {}),
		}));
		const deadlocks = deadlocksOf(snapshot).map(deadlock => `tprof-top: ${deadlockText(deadlock)}\n`).join('');
		if (deadlocks !== printedDeadlocks) {
			printedDeadlocks = deadlocks;
			process.stderr.write(deadlocks);
		}

		last = {snapshot, vitals};
		if (stop.aborted || isOver(source.status())) {
			break;
		}
	}

	if (source.status().phase === 'failed') {
		throw failureOf(source.status());
	}

	return last;
}

/** Waits for a source's first sample; returns false if `stop` aborts before. Throws UserError if there is none. */
async function hasFirstSample(source: SnapshotSource, stop: AbortSignal): Promise<boolean> {
	const hasSamples = () => (source.read()?.session.samples ?? 0) > 0;
	await waitUntil(() => isOver(source.status()) || hasSamples(), performance.now() + startTimeoutMs, stop);
	if (hasSamples() || stop.aborted) {
		return hasSamples();
	}

	const status = source.status();
	if (isOver(status)) {
		throw failureOf(status);
	}

	throw new UserError(`no sample after ${startTimeoutMs / 1000} s`, {
		hint: status.message ?? 'the JVM or the machine may be hanging; try again, or try another --engine',
	});
}

/** Returns why a source failed. */
export function failureOf({message, hint}: SourceStatus): UserError {
	return new UserError(message ?? 'the session failed', {hint});
}

/** Returns the notes of a report on its session, printable lines. */
export function batchNotes(status: SourceStatus): Printable[] {
	const {message, note, lineNote, stale, tracer, eventsNote, eventsRefusal} = status;
	return [
		...[note, lineNote].filter(text => text !== undefined),
		...(eventsNote ? [safe`events: ${eventsNote}`] : []),
		...(eventsRefusal ? [safe`events are not recorded: ${eventsRefusal}`] : []),
		...(tracer ? [safe`${tracer} is tracing threads of this JVM; they are not sampled while it is attached`] : []),
		...(stale ? [safe`the latest counts could not be read in time; these are older`] : []),
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

/** Plans the reports: two of -n, -d and --duration give the third. Throws UserError (2) if all three disagree. */
export function planBatch({iterations, delayS, durationS}: {
	readonly iterations?: number;
	readonly delayS?: number;
	readonly durationS?: number;
}): {readonly count: number; readonly windowMs: number} {
	if (durationS === undefined) {
		return {count: iterations ?? 1, windowMs: (delayS ?? defaultDelayS) * 1000};
	}

	if (delayS === undefined) {
		return {count: iterations ?? 1, windowMs: durationS * 1000 / (iterations ?? 1)};
	}

	if (iterations !== undefined && Math.abs((iterations * delayS) - durationS) > 0.001) {
		throw usage(
			`--iterations ${iterations} of --delay ${delayS} s do not add up to --duration ${durationS} s`,
			'give two of the three options',
		);
	}

	// 0.3 / 0.1 is a little less than 3.
	return {count: Math.max(1, Math.floor((durationS / delayS) + 1e-9)), windowMs: Math.min(delayS, durationS) * 1000};
}

/** Throws UserError (2) if a format cannot hold the reports (`hasView`: of a view), or for binary on a terminal. */
export function checkFormat(
	{id, streaming, binary, ofViews, countsEvents}: ExportFormat,
	options: Options,
	{hasView}: {readonly hasView: boolean},
): void {
	const {count} = planBatch(options);
	const idsWith = (ability: 'countsEvents' | 'ofViews' | 'streaming') =>
		exportFormats.filter(format => format[ability]).map(format => format.id).join(', ');
	if (hasView && !ofViews) {
		throw usage(`--format ${id} has no views`, `drop --view, or use one of ${idsWith('ofViews')}`);
	}

	const {measure} = options;
	if (measure !== 'cpu' && !countsEvents && !options.onScreen) {
		throw usage(
			`--format ${id} cannot count ${measure} in place of CPU time`,
			`use one of ${idsWith('countsEvents')}, or --events ${measure} to have them beside it`,
		);
	}

	if (!streaming && count > 1) {
		throw usage(
			`--format ${id} writes a single report, but these options ask for ${count}`,
			`drop --iterations and --delay, or use one of ${idsWith('streaming')}`,
		);
	}

	checkBinary({id, binary}, options.output);
}

/** Throws UserError (2) for binary output to a terminal. */
export function checkBinary({id, binary}: Pick<Format, 'id' | 'binary'>, output: string | undefined): void {
	if (binary && output === undefined && process.stdout.isTTY) {
		throw usage(
			`--format ${id} is binary and cannot be shown on a terminal`,
			'add --output FILE, or redirect it to a file or a pipe',
		);
	}
}
