import process from 'node:process';
import {createInterface} from 'node:readline/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {GrowingFile} from '../exports/files/growing-file.js';
import {wrapAt} from '../exports/formats/text-table.js';
import {traceFormats} from '../exports/traces/registry.js';
import type {TraceReport} from '../model/traces/report.js';
import type {Command} from '../options/command.js';
import type {Options} from '../options/parse.js';
import {endSignals} from '../process/end-signals.js';
import {UserError} from '../process/errors.js';
import {version} from '../process/version.js';
import type {Target} from '../jvm/target.js';
import {TraceSession, type TraceRequest} from '../tracing/session.js';
import {planBatch} from './batch-plan.js';
import {LiveTracer, requestOf} from './live-tracer.js';
import {resolveTarget} from './resolve-target.js';
import {
	agentObstacle, countText, refusalNotes, someNames, unmatchedText, whatTracingDoes,
} from './trace-texts.js';

const pollMs = 50;

/** Traces the methods that the command means, and prints what they did. Returns the exit code; throws UserError. */
export async function trace(command: Command & {readonly kind: 'trace'}, options: Options): Promise<number> {
	const format = traceFormats.find(({id}) => id === options.format);
	if (!format) {
		throw new UserError(`--format ${options.format} has no traces`, {hint: `use one of ${traceFormats.map(({id}) => id).join(', ')}`, exitCode: 2});
	}

	if (format.binary && options.output === undefined && process.stdout.isTTY) {
		throw new UserError(`--format ${format.id} is binary and cannot be shown on a terminal`, {hint: 'add --output FILE, or redirect it to a file or a pipe', exitCode: 2});
	}

	const {windowMs, count} = planBatch(options);
	const target = await agreedTarget(command, options);
	if (!target) {
		return 1;
	}

	const request = requestOf(command.patterns, options);
	const stop = new AbortController();
	for (const signal of endSignals) {
		process.once(signal, () => {
			stop.abort();
		});
	}

	const output = options.output === undefined ? undefined : await GrowingFile.create(options.output);
	try {
		const result = await traced(target, request, {forMs: windowMs * count, stop: stop.signal, mayAsk: !options.yes});
		if (!result) {
			return 1;
		}

		const {report, hasEnded} = result;
		const written = format.write(target.facts, report, {
			version, top: options.top, width: process.stdout.columns || undefined, notes: [...(hasEnded ? [`JVM ${target.pid} ended while it was traced: calls of its last second may be missing`] : []), ...refusalNotes(report)],
		});
		await (output ? output.append(written) : print(written));
		return 0;
	} finally {
		await output?.finish();
	}
}

/** Traces the methods that the command means while `show` shows them. Returns the exit code; throws UserError. */
export async function traceLive(command: Command & {readonly kind: 'trace'}, options: Options, show: (target: Target, tracer: LiveTracer) => Promise<number>): Promise<number> {
	const target = await agreedTarget(command, options);
	if (!target) {
		return 1;
	}

	const tracer = new LiveTracer(target, requestOf(command.patterns, options));
	try {
		return await tracer.begin(async (found, request) => agreedRequest(found, request, !options.yes)) ? await show(target, tracer) : 1;
	} finally {
		await tracer.close();
	}
}

/** The target, if the user agrees to what is about to be done to it. */
async function agreedTarget({target: text, patterns}: Command & {readonly kind: 'trace'}, {yes}: Options): Promise<Target | undefined> {
	const target = await resolveTarget(text);
	const obstacle = agentObstacle(target);
	if (obstacle) {
		throw obstacle;
	}

	return yes || await isAgreed(`${whatTracingDoes(target, patterns)}\n`, 'Load the agent and look? [y/N] ') ? target : undefined;
}

/** The last report, with every call up to the end, and whether the target has ended; undefined when the user does not want it after all. */
async function traced(target: Target, request: TraceRequest, {forMs, stop, mayAsk}: {readonly forMs: number; readonly stop: AbortSignal; readonly mayAsk: boolean}): Promise<{readonly report: TraceReport; readonly hasEnded: boolean} | undefined> {
	const session = await TraceSession.open(target);
	try {
		const wanted = await agreedRequest(await session.survey(request), request, mayAsk);
		if (!wanted) {
			return undefined;
		}

		await session.weave(wanted);
		const endMs = performance.now() + forMs;
		while (!stop.aborted && session.isAlive() && performance.now() < endMs) {
			await sleep(Math.max(1, Math.min(pollMs, endMs - performance.now())));
			session.read();
		}

		const hasEnded = !session.isAlive();
		const report = await session.close();
		return report && {report, hasEnded};
	} finally {
		await session.close();
	}
}

/** The request, with as many methods as the user agrees to, who is told how many it means. Throws when it means nothing. */
async function agreedRequest({survey}: TraceReport, request: TraceRequest, mayAsk: boolean): Promise<TraceRequest | undefined> {
	const isNothing = survey.methods === 0 && survey.classes === 0;
	if (isNothing) {
		const [refused] = survey.refused;
		if (refused && survey.unmatched.length === 0) {
			throw new UserError(`cannot trace ${refused.name}: ${refused.reason}`);
		}

		throw new UserError(unmatchedText(survey.unmatched[0]), {hint: 'Class#method, Class.method or @Annotation; * and ? stand for more'});
	}

	for (const unmatched of survey.unmatched) {
		process.stderr.write(`tprof-top: ${unmatchedText(unmatched)}\n`);
	}

	const isTooMany = survey.methods > request.maxMethods;
	if (!mayAsk && !isTooMany) {
		return request;
	}

	const names = someNames(survey);
	const found = `${countText(survey)}${names === '' ? '' : `: ${names}`}${isTooMany ? `; --max-methods is ${request.maxMethods}` : ''}`;
	if (!mayAsk) {
		throw new UserError(found, {hint: 'narrow the patterns, or allow more with --max-methods'});
	}

	return await isAgreed(`${found}\n`, 'Trace? [y/N] ') ? {...request, maxMethods: Math.max(survey.methods, request.maxMethods)} : undefined;
}

/** Says something, and asks whether to go on where there is somebody to ask. */
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

/** Writes to standard output, and waits until it is written. */
export async function print(report: string | Uint8Array): Promise<void> {
	return new Promise(resolve => {
		process.stdout.write(report, () => {
			resolve();
		});
	});
}
