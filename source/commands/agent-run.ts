import process from 'node:process';
import {createInterface} from 'node:readline/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Format, Written} from '../exports/formats/export-format.js';
import {reportFormats} from '../exports/formats/registry.js';
import {wrapAt} from '../exports/formats/text-table.js';
import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../runtime/errors.js';
import {writingTo} from './batch.js';
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

/** Writes the report that `make` resolves to. Returns the exit code, 1 where there is none. Throws UserError. */
export async function writeReport(options: Options, make: () => Promise<Written | undefined>): Promise<number> {
	return writingTo(options, async write => {
		const report = await make();
		if (report === undefined) {
			return 1;
		}

		await write(report);
		return 0;
	});
}

/** Reads a session's reports for a time, until it is stopped or its target ends; then its last one. `hasEnded`: the target has. */
export async function readUntil<Report>(session: {isAlive(): boolean; read(): Report | undefined; close(): Promise<Report | undefined>}, forMs: number, stop: AbortSignal, onReport?: (report: Report | undefined) => void): Promise<{readonly report: Report | undefined; readonly hasEnded: boolean}> {
	const endMs = performance.now() + forMs;
	while (!stop.aborted && session.isAlive() && performance.now() < endMs) {
		await sleep(Math.max(1, Math.min(pollMs, endMs - performance.now())));
		onReport?.(session.read());
	}

	const hasEnded = !session.isAlive();
	return {report: await session.close(), hasEnded};
}
