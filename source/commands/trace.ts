import process from 'node:process';
import type {TraceReport} from '../model/trace-report.js';
import type {Command} from '../options/command.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../runtime/errors.js';
import type {Target} from '../jvm/target.js';
import {TraceSession, type TraceRequest} from '../tracing/session.js';
import {nameOf} from '../views/traces/methods.js';
import {
	agreedTarget, isAgreed, readUntil, reportFormat, runAgent, type Outcome,
} from './agent-run.js';
import {LiveTracer, requestOf} from './live-tracer.js';
import {
	canWaitFor, countText, refusalNotes, someNames, unmatchedText, whatTracingDoes,
} from './trace-texts.js';

type TraceCommand = Command & {readonly kind: 'trace'};

/** Traces the methods that the command means, and prints their report. Returns the exit code; throws UserError. */
export async function trace(command: TraceCommand, options: Options): Promise<number> {
	return runAgent({
		format: reportFormat('traces', options),
		agreed: async () => agreedToTrace(command, options),
		observe: async (target, forMs, stop) => traced(target, requestOf(command.patterns, options), {forMs, stop, mayAsk: !options.yes}),
		notesOf: refusalNotes,
	}, options);
}

/** Traces the methods that the command means while `show` shows them. Returns the exit code; throws UserError. */
export async function traceLive(command: TraceCommand, options: Options, show: (target: Target, tracer: LiveTracer) => Promise<number>): Promise<number> {
	const target = await agreedToTrace(command, options);
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

async function agreedToTrace({target, patterns}: TraceCommand, options: Options): Promise<Target | undefined> {
	return agreedTarget(target, options, found => whatTracingDoes(found, patterns), 'Load the agent and look? [y/N] ');
}

/** The last report, with every call up to the end; undefined when the user does not want it after all. */
async function traced(target: Target, request: TraceRequest, {forMs, stop, mayAsk}: {readonly forMs: number; readonly stop: AbortSignal; readonly mayAsk: boolean}): Promise<Outcome<TraceReport> | undefined> {
	const session = await TraceSession.open(target);
	try {
		const wanted = await agreedRequest(await session.survey(request), request, mayAsk);
		if (!wanted) {
			return undefined;
		}

		let {wovenMethods} = await session.weave(wanted);
		if (wovenMethods === 0) {
			process.stderr.write(`tprof-top: waiting for a class that matches ${request.patterns.join(' or ')}; Ctrl-C or --duration ends it\n`);
		}

		const {report, hasEnded} = await readUntil(session, forMs, stop, now => {
			if (wovenMethods === 0 && now && now.wovenMethods > 0) {
				({wovenMethods} = now);
				process.stderr.write(`tprof-top: loaded, and traced from now on: ${now.methods.slice(0, 3).map(method => nameOf(method)).join(', ')}\n`);
			}
		});
		if (report?.methods.length === 0) {
			throw new UserError(`nothing was traced: no class was loaded that matches ${request.patterns.join(' ')}`);
		}

		return report && {report, hasEnded};
	} finally {
		await session.close();
	}
}

/** The request, with as many methods as the user agrees to. Throws UserError when it means no methods, and never will. */
async function agreedRequest({survey}: TraceReport, request: TraceRequest, mayAsk: boolean): Promise<TraceRequest | undefined> {
	const isNothing = survey.methods === 0 && survey.classes === 0;
	if (isNothing && !canWaitFor(survey)) {
		const [refused] = survey.refused;
		throw survey.unmatched.length === 0
			? new UserError(`cannot trace ${refused.name}: ${refused.reason}`)
			: new UserError(unmatchedText(survey.unmatched[0]), {hint: 'Class#method, Class.method or @Annotation; * and ? match any characters'});
	}

	for (const unmatched of survey.unmatched) {
		process.stderr.write(`tprof-top: ${unmatchedText(unmatched)}\n`);
	}

	if (isNothing) {
		return !mayAsk || await isAgreed('', 'Wait for such a class? [y/N] ') ? request : undefined;
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
