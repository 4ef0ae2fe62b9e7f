import process from 'node:process';
import {createInterface} from 'node:readline/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {printable, safe, type Printable} from '../util/printable.js';
import type {Format, ReportFormat} from '../exports/common/export-format.js';
import {reportFormats} from '../exports/formats/format-registry.js';
import {wrapAt} from '../exports/common/text-table.js';
import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {usage, UserError} from '../runtime/errors.js';
import {version} from '../util/version.js';
import {abortOnSignal, checkBinary, planBatch, withOutput} from './batch.js';
import {resolveTarget} from './resolve-target.js';
import {checkAgentsAllowed} from './trace-texts.js';

const pollMs = 50;

/**
Returns --format's writer for reports of a kind. Throws UserError (2) if none, or for binary output to a terminal.
*/
export function reportFormat<Kind extends 'traces' | 'tasks'>(
	kind: Kind,
	{format: id, output}: Options,
): NonNullable<Format[Kind]> {
	const usable = reportFormats(kind);
	const format = usable.find(candidate => candidate.id === id);
	if (!format) {
		throw usage(`--format ${id} has no ${kind}`, `use one of ${usable.map(candidate => candidate.id).join(', ')}`);
	}

	checkBinary(format, output);
	return format[kind];
}

/** Finds the target, and returns it if the user agrees to what `describe` says will be done to it. Throws UserError. */
export async function confirmTarget(
	text: string,
	{yes}: Options,
	describe: (target: Target) => string,
	question: string,
): Promise<Target | undefined> {
	const target = await resolveTarget(text);
	checkAgentsAllowed(target);
	return yes || await confirm(`${describe(target)}\n`, question) ? target : undefined;
}

/** Prints a text and asks the user a question; returns whether the answer is yes, false without a terminal. */
export async function confirm(text: string, question: string): Promise<boolean> {
	const room = process.stderr.isTTY ? process.stderr.columns : Infinity;
	process.stderr.write(
		text.split('\n').flatMap(line => wrapAt(safe` `, printable(line, Infinity), room, safe`  `)).join('\n'),
	);
	if (!process.stdin.isTTY || !process.stderr.isTTY) {
		process.stderr.write('nothing was done; --yes does it\n');
		return false;
	}

	const prompt = createInterface({input: process.stdin, output: process.stderr});
	try {
		return /^\s*y(?:es)?\s*$/i.test(await prompt.question(question));
	} finally {
		prompt.close();
	}
}

/** The last report; `failure`: why the agent has ended before its time, if so. */
export type Outcome<Report> = {
	readonly report: Report;
	readonly targetEnded: boolean;
	readonly failure: UserError | undefined;
};

/** How one use of the agent, traces or tasks, makes a report. */
type AgentRun<Report> = {
	readonly format: ReportFormat<Report>;
	/** Returns undefined if the user declines. */
	findTarget(): Promise<Target | undefined>;
	/** Returns the report after `forMs`, or when `stop` aborts; undefined if the user declines after all. */
	observe(target: Target, forMs: number, stop: AbortSignal): Promise<Outcome<Report> | undefined>;
	notesOf(report: Report): readonly Printable[];
};

/**
Runs the agent for the time of the options and prints its report. Returns the exit code; throws UserError, after the
report so far if the agent has ended before its time.
*/
export async function runAgent<Report>(
	{format, findTarget, observe, notesOf}: AgentRun<Report>,
	options: Options,
): Promise<number> {
	const {windowMs, count} = planBatch(options);
	const target = await findTarget();
	if (!target) {
		return 1;
	}

	const {signal: stop} = abortOnSignal();
	return withOutput(options, async write => {
		const outcome = await observe(target, windowMs * count, stop);
		if (!outcome) {
			return 1;
		}

		const {report, targetEnded, failure} = outcome;
		const notes = [
			...(targetEnded
				? [safe`JVM ${target.pid} ended meanwhile: what it did in its last second may be missing`]
				: []),
			...(failure ? [safe`this report ends early: ${failure.message}`] : []),
			...notesOf(report),
		];
		await write(format.write(target.facts, report, {
			version, notes, top: options.top, width: process.stdout.columns || undefined,
		}));
		if (failure) {
			throw failure;
		}

		return 0;
	});
}

/**
Reads a session's reports until time is up, `stop` aborts, or the target or its agent ends; then closes it, which gives
the last.
*/
export async function readUntil<Report>(
	session: {
		readonly closeFault: UserError | undefined;
		isAlive(): boolean;
		read(): Report | undefined;
		close(): Promise<Report | undefined>;
	},
	forMs: number,
	stop: AbortSignal,
	onReport?: (report: Report | undefined) => void,
): Promise<Outcome<Report | undefined>> {
	const endMs = performance.now() + forMs;
	let failure: UserError | undefined;
	while (!failure && !stop.aborted && session.isAlive() && performance.now() < endMs) {
		await sleep(Math.max(1, Math.min(pollMs, endMs - performance.now())));
		try {
			// Also without `onReport`: it throws if the agent has ended.
			const report = session.read();
			onReport?.(report);
		} catch (error) {
			if (!(error instanceof UserError)) {
				throw error;
			}

			failure = error;
		}
	}

	const targetEnded = !session.isAlive();
	const report = await session.close();
	return {report, targetEnded, failure: failure ?? session.closeFault};
}
