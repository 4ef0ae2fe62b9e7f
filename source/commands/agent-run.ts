import process from 'node:process';
import {createInterface} from 'node:readline/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Format, ReportFormat} from '../exports/common/export-format.js';
import {reportFormats} from '../exports/formats/registry.js';
import {wrapAt} from '../exports/common/text-table.js';
import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../runtime/errors.js';
import {version} from '../runtime/version.js';
import {endsBySignal, planBatch, writingTo} from './batch.js';
import {resolveTarget} from './resolve-target.js';
import {agentObstacle} from './trace-texts.js';

const pollMs = 50;

/** The format of a batch run of the agent. Throws UserError (2) for one that has no such reports, and for bytes on a terminal. */
export function reportFormat<Kind extends 'traces' | 'tasks'>(kind: Kind, {format: id, output}: Options): NonNullable<Format[Kind]> {
	const usable = reportFormats(kind);
	const format = usable.find(candidate => candidate.id === id);
	if (!format) {
		throw new UserError(`--format ${id} has no ${kind}`, {hint: `use one of ${usable.map(candidate => candidate.id).join(', ')}`, exitCode: 2});
	}

	if (format.binary && output === undefined && process.stdout.isTTY) {
		throw new UserError(`--format ${id} is binary and cannot be shown on a terminal`, {hint: 'add --output FILE, or redirect it to a file or a pipe', exitCode: 2});
	}

	return format[kind];
}

/** The target, if the user agrees to what `what` says is about to be done to it. Throws UserError. */
export async function agreedTarget(text: string, {yes}: Options, what: (target: Target) => string, question: string): Promise<Target | undefined> {
	const target = await resolveTarget(text);
	const obstacle = agentObstacle(target);
	if (obstacle) {
		throw obstacle;
	}

	return yes || await isAgreed(`${what(target)}\n`, question) ? target : undefined;
}

/** Prints a text and asks whether to go on, if there is somebody to ask. */
export async function isAgreed(text: string, question: string): Promise<boolean> {
	const room = process.stderr.isTTY ? process.stderr.columns : Infinity;
	process.stderr.write(text.split('\n').flatMap(line => wrapAt(' ', line, room, '  ')).join('\n'));
	if (!process.stdin.isTTY || !process.stderr.isTTY) {
		process.stderr.write('nothing was done; --yes does it\n');
		return false;
	}

	const asking = createInterface({input: process.stdin, output: process.stderr});
	try {
		return /^\s*y(?:es)?\s*$/i.test(await asking.question(question));
	} finally {
		asking.close();
	}
}

/** What an agent has reported. `hasEnded`: its target has. */
export type Outcome<Report> = {readonly report: Report; readonly hasEnded: boolean};

/** How a kind of agent is run for a report. */
type AgentRun<Report> = {
	readonly format: ReportFormat<Report>;
	/** The target, if the user agrees. */
	agreed(): Promise<Target | undefined>;
	/** What it reports after that time, or once it is stopped; undefined where the user does not want it after all. */
	observe(target: Target, forMs: number, stop: AbortSignal): Promise<Outcome<Report> | undefined>;
	notesOf(report: Report): readonly string[];
};

/** Lets an agent observe for as long as the options say, and prints its report. Returns the exit code; throws UserError. */
export async function runAgent<Report>({format, agreed, observe, notesOf}: AgentRun<Report>, options: Options): Promise<number> {
	const {windowMs, count} = planBatch(options);
	const target = await agreed();
	if (!target) {
		return 1;
	}

	const {signal: stop} = endsBySignal();
	return writingTo(options, async write => {
		const outcome = await observe(target, windowMs * count, stop);
		if (!outcome) {
			return 1;
		}

		const {report, hasEnded} = outcome;
		const notes = [...(hasEnded ? [`JVM ${target.pid} ended meanwhile: what it did in its last second may be missing`] : []), ...notesOf(report)];
		await write(format.write(target.facts, report, {
			version, notes, top: options.top, width: process.stdout.columns || undefined,
		}));
		return 0;
	});
}

/** Reads a session's reports for a time, until it is stopped or its target ends; then its last one. */
export async function readUntil<Report>(session: {isAlive(): boolean; read(): Report | undefined; close(): Promise<Report | undefined>}, forMs: number, stop: AbortSignal, onReport?: (report: Report | undefined) => void): Promise<Outcome<Report | undefined>> {
	const endMs = performance.now() + forMs;
	while (!stop.aborted && session.isAlive() && performance.now() < endMs) {
		await sleep(Math.max(1, Math.min(pollMs, endMs - performance.now())));
		onReport?.(session.read());
	}

	const hasEnded = !session.isAlive();
	return {report: await session.close(), hasEnded};
}
