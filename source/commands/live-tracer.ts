import {joined, printable, safe, type Printable} from '../util/printable.js';
import type {SnapshotSource} from '../model/source.js';
import type {TraceReport} from '../model/trace-report.js';
import {checkPattern} from '../options/method-pattern.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../runtime/errors.js';
import type {Target} from '../jvm/target.js';
import {runningLoops} from '../sampler/running-loops.js';
import {LiveReports} from '../tracing/live-reports.js';
import {TraceSession, type TraceRequest} from '../tracing/trace-session.js';
import type {FoundMethods, MethodTracer} from '../ui/screens/session-effects.js';
import {
	checkAgentsAllowed,
	checkWoven,
	countText,
	hasMatches,
	lookUpNote,
	someNames,
	traceNote,
	unmatchedText,
	waitsForText,
} from './trace-texts.js';

const reportIntervalMs = 1000;

/** Builds a trace request from the options. */
export function traceRequest(target: Target, patterns: readonly string[], options: Options): TraceRequest {
	const {under, leastNs, slowest: keep, maxMethods, maxOverheadPercent, withRunningLoops} = options;
	const findRunningLoops = withRunningLoops ? undefined : async () => runningLoops(target);
	return {patterns, under, leastNs, keep, maxMethods, maxOverheadPercent, reportIntervalMs, findRunningLoops};
}

/** Asks the user about the methods found. Returns what to trace, or undefined. */
type Confirm = (report: TraceReport, request: TraceRequest) => Promise<TraceRequest | undefined>;

/**
Traces methods during sampling, and adds the trace report to each snapshot. `begin` traces the patterns of the command
line. `find` looks up a pattern that the user enters on the screen; then `trace` traces it, or `forget` discards it.
*/
export class LiveTracer extends LiveReports<TraceSession, TraceReport> implements MethodTracer {
	readonly #target: Target;
	/** What is traced. */
	#request: TraceRequest;
	/** What will be traced if the user agrees to the methods found. */
	#pendingRequest: TraceRequest | undefined;
	/** What looking up methods does to the target; shown while no agent is there. */
	readonly #note: Printable;
	#isBusy = false;
	#isTracing = false;

	constructor(target: Target, request: TraceRequest) {
		super((snapshot, traces) => ({...snapshot, traces}));
		this.#target = target;
		this.#request = request;
		this.#note = lookUpNote(target);
	}

	override source(inner: SnapshotSource): SnapshotSource {
		const source = super.source(inner);
		return {...source, status: () => ({...source.status(), ...(this.session ? {} : {traceNote: this.#note})})};
	}

	/** Looks up the request and traces what `confirm` returns for it; false if that is undefined. Throws UserError. */
	async begin(confirm: Confirm): Promise<boolean> {
		this.session = await TraceSession.open(this.#target);
		try {
			const confirmed = await confirm(await this.session.survey(this.#request), this.#request);
			if (confirmed) {
				this.#request = confirmed;
				this.report = await this.session.weave(confirmed);
				checkWoven(this.report);
				this.#isTracing = true;
				return true;
			}
		} catch (error) {
			await this.close();
			throw error;
		}

		await this.close();
		return false;
	}

	/** Finds the methods that a pattern matches; does not trace them yet. Throws UserError. */
	async find(text: string): Promise<FoundMethods> {
		return this.#exclusively(async () => this.#find(checkPattern(text, 'com.acme.Foo#bar')));
	}

	/** Traces what `find` found, beside what is traced already; returns a message of one line. Throws UserError. */
	async trace(): Promise<Printable> {
		return this.#exclusively(async () => {
			const request = this.#pendingRequest;
			this.#pendingRequest = undefined;
			if (!request || !this.session) {
				throw new UserError('the agent is no longer in the JVM');
			}

			this.report = await this.session.weave(request);
			checkWoven(this.report);
			this.#isTracing = true;
			this.#request = request;
			const {wovenMethods: methods, survey} = this.report;
			const traced = methods === 0
				? safe``
				: safe`${methods} ${methods === 1 ? 'method is' : 'methods are'} traced; the Traces view has them`;
			return joined([traced, waitsForText(survey)].filter(Boolean), safe`; `)
				|| safe`what matches is traced once it is loaded`;
		});
	}

	/** Discards what `find` found. Never throws. */
	async forget(): Promise<void> {
		this.#pendingRequest = undefined;
		if (!this.#isTracing) {
			await this.close();
			this.report = undefined;
		}
	}

	override async close(): Promise<void> {
		this.#isTracing = false;
		await super.close();
	}

	async #find(pattern: string): Promise<FoundMethods> {
		checkAgentsAllowed(this.#target);
		const request = {...this.#request, patterns: [...new Set([...this.#request.patterns, pattern])]};
		this.session ??= await TraceSession.open(this.#target);
		this.problem = undefined;
		const {survey} = await this.session.survey({...request, patterns: [pattern]});
		const unmatched = survey.unmatched.find(each => each.pattern === pattern);
		const isMatched = hasMatches(survey);
		const {survey: {methods: all}} = await this.session.survey(request);
		// If the user agrees, it is to all of them: `about` says when that exceeds --max-methods.
		this.#pendingRequest = {...request, maxMethods: Math.max(all, request.maxMethods)};
		const names = someNames(survey);
		return {
			question: isMatched
				? safe`trace ${countText(survey)}? [y/N] `
				: safe`wait for a class that matches ${printable(pattern)}? [y/N] `,
			about: joined([
				unmatched ? safe`${unmatchedText(unmatched)}.` : safe``,
				names === '' ? safe`` : safe`${names}.`,
				all > request.maxMethods ? safe`That makes ${all}, more than --max-methods ${request.maxMethods}.` : safe``,
				traceNote(this.#target, {isFirst: !this.#isTracing}),
			].filter(Boolean), safe` `),
		};
	}

	/** Runs one action at a time; if it fails and nothing is traced, removes the agent from the target. */
	async #exclusively<Result>(action: () => Promise<Result>): Promise<Result> {
		if (this.#isBusy) {
			throw new UserError('another trace request is in progress');
		}

		this.#isBusy = true;
		try {
			return await action();
		} catch (error) {
			await this.forget();
			throw error;
		} finally {
			this.#isBusy = false;
		}
	}
}
