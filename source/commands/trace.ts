import process from 'node:process';
import type {TraceReport} from '../model/trace-report.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../runtime/errors.js';
import type {Target} from '../jvm/target.js';
import {TraceSession, type TraceRequest} from '../tracing/trace-session.js';
import {tracedMethodName} from '../views/traces/traced-methods.js';
import {tracesView} from '../views/traces/traces-view.js';
import {confirmTarget, confirm, readUntil, reportFormat, runAgent, type Outcome} from './agent-run.js';
import {LiveTracer, traceRequest} from './live-tracer.js';
import {profileTarget} from './profile-target.js';
import {
	cannotTrace, checkWoven, countText, hasMatches, refusalNotes, someNames, unmatchedText, whatTracingDoes,
} from './trace-texts.js';

/** What to trace: methods that match a pattern, as `checkPattern` returns it. */
type Traced = {readonly target: string; readonly patterns: readonly string[]};

/** Traces methods and prints a report. Returns the exit code; throws UserError. */
export async function trace(traced: Traced, options: Options): Promise<number> {
	return runAgent({
		format: reportFormat('traces', options),
		findTarget: async () => confirmAgent(traced, options),
		observe: async (target, forMs, stop) =>
			lastReport(target, traceRequest(target, traced.patterns, options), {forMs, stop, mayAsk: !options.yes}),
		notesOf: refusalNotes,
	}, options);
}

/** Traces methods and shows the calls on the screen. Returns the exit code; throws UserError. */
export async function traceOnScreen(traced: Traced, options: Options): Promise<number> {
	return traceLive(traced, options, async (target, tracer) =>
		profileTarget(target, {...options, view: options.view ?? tracesView.id}, {tracer}));
}

/** Traces methods while `show` runs. Returns the exit code; throws UserError. */
export async function traceLive(
	traced: Traced,
	options: Options,
	show: (target: Target, tracer: LiveTracer) => Promise<number>,
): Promise<number> {
	const target = await confirmAgent(traced, options);
	if (!target) {
		return 1;
	}

	const tracer = new LiveTracer(target, traceRequest(target, traced.patterns, options));
	try {
		return await tracer.begin(async ({survey}, request) => confirmRequest(survey, request, !options.yes))
			? await show(target, tracer)
			: 1;
	} finally {
		await tracer.close();
	}
}

async function confirmAgent({target: name, patterns}: Traced, options: Options): Promise<Target | undefined> {
	return confirmTarget(name, options, target => whatTracingDoes(target, patterns), 'Load the agent and look? [y/N] ');
}

/** Returns the last report, with every call up to the end; undefined if the user declines. Throws UserError. */
async function lastReport(
	target: Target,
	request: TraceRequest,
	{forMs, stop, mayAsk}: {readonly forMs: number; readonly stop: AbortSignal; readonly mayAsk: boolean},
): Promise<Outcome<TraceReport> | undefined> {
	const session = await TraceSession.open(target);
	try {
		const {survey} = await session.survey(request);
		const confirmed = await confirmRequest(survey, request, mayAsk);
		if (!confirmed) {
			return undefined;
		}

		const begun = await session.weave(confirmed);
		checkWoven(begun);
		let {wovenMethods} = begun;
		if (wovenMethods === 0) {
			process.stderr.write(`tprof-top: waiting for a class that matches ${request.patterns.join(' or ')}; Ctrl-C or --duration ends it\n`);
		}

		const outcome = await readUntil(session, forMs, stop, newest => {
			if (wovenMethods === 0 && newest && newest.wovenMethods > 0) {
				({wovenMethods} = newest);
				const names = newest.methods.slice(0, 3).map(method => tracedMethodName(method)).join(', ');
				process.stderr.write(`tprof-top: loaded, and traced from now on: ${names}\n`);
			}
		});
		const {report, failure} = outcome;
		if (report?.methods.length === 0) {
			throw failure ?? new UserError(`nothing was traced: no class was loaded that matches ${request.patterns.join(' ')}`);
		}

		// The root has no calls.
		if (report?.wovenMethods === 0 && report.nodes.count === 1 && report.refused.length > 0) {
			throw cannotTrace(report.refused[0]);
		}

		return report && {...outcome, report};
	} finally {
		await session.close();
	}
}

/** Returns the request, with `maxMethods` raised to what the user accepted; undefined if declined. Throws UserError. */
async function confirmRequest(
	survey: TraceReport['survey'],
	request: TraceRequest,
	mayAsk: boolean,
): Promise<TraceRequest | undefined> {
	const isMatched = hasMatches(survey);
	for (const unmatched of survey.unmatched) {
		process.stderr.write(`tprof-top: ${unmatchedText(unmatched)}\n`);
	}

	if (!isMatched) {
		return !mayAsk || await confirm('', 'Wait for such a class? [y/N] ') ? request : undefined;
	}

	const isTooMany = survey.methods > request.maxMethods;
	if (!mayAsk && !isTooMany) {
		return request;
	}

	const names = someNames(survey);
	const summary = [
		countText(survey),
		names === '' ? '' : `: ${names}`,
		isTooMany ? `; --max-methods is ${request.maxMethods}` : '',
	].join('');
	if (!mayAsk) {
		throw new UserError(summary, {hint: 'narrow the patterns, or allow more with --max-methods'});
	}

	return await confirm(`${summary}\n`, 'Trace? [y/N] ')
		? {...request, maxMethods: Math.max(survey.methods, request.maxMethods)}
		: undefined;
}
