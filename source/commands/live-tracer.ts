import type {SnapshotSource} from '../model/source.js';
import type {TraceReport} from '../model/trace-report.js';
import {checkPattern} from '../options/command.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../runtime/errors.js';
import type {Target} from '../jvm/target.js';
import {LiveReports} from '../tracing/live-reports.js';
import {TraceSession, type TraceRequest} from '../tracing/session.js';
import type {FoundMethods, MethodTracer} from '../ui/screens/session.js';
import {
	agentObstacle, canWaitFor, countText, lookUpNote, someNames, traceNote, unmatchedText, waitsForText,
} from './trace-texts.js';

const periodMs = 1000;

/** What the options ask for, of these patterns. */
export function requestOf(patterns: readonly string[], options: Options): TraceRequest {
	return {
		patterns, under: options.under, leastNs: options.leastNs, keep: options.slowest, maxMethods: options.maxMethods, maxOverheadPercent: options.maxOverheadPercent, periodMs,
	};
}

/** Traces methods beside the sampling, as the user asks for them; what is traced stands in each snapshot. */
export class LiveTracer extends LiveReports<TraceSession, TraceReport> implements MethodTracer {
	readonly #target: Target;
	#request: TraceRequest;
	readonly #note: string;
	#isBusy = false;
	#isTracing = false;
	/** What was found, and is not agreed to yet. */
	#wanted: TraceRequest | undefined;

	/** `request` has what is not asked for while it runs; its patterns are those of the first `begin`. */
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

	/** Traces what the request means, if `isAgreed` says so of what was found. Throws UserError; false: it is not wanted. */
	async begin(agreed: (found: TraceReport, request: TraceRequest) => Promise<TraceRequest | undefined>): Promise<boolean> {
		this.session = await TraceSession.open(this.#target);
		try {
			const wanted = await agreed(await this.session.survey(this.#request), this.#request);
			if (wanted) {
				this.#request = wanted;
				this.report = await this.session.weave(wanted);
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

	/** Looks up what a pattern means; nothing is traced yet. Throws UserError. */
	async find(text: string): Promise<FoundMethods> {
		return this.#alone(async () => this.#find(checkPattern(text, 'com.acme.Foo#bar')));
	}

	/** Traces what was found last too, and says so in one line. Throws UserError. */
	async trace(): Promise<string> {
		return this.#alone(async () => {
			const wanted = this.#wanted;
			this.#wanted = undefined;
			if (!wanted || !this.session) {
				throw new UserError('the agent is no longer in the JVM');
			}

			this.report = await this.session.weave(wanted);
			this.#isTracing = true;
			this.#request = wanted;
			const {wovenMethods: methods, survey} = this.report;
			return [
				...(methods === 0 ? [] : [`${methods} ${methods === 1 ? 'method is' : 'methods are'} traced; the Traces view has them`]),
				...[waitsForText(survey)].filter(text => text !== ''),
			].join('; ') || 'what matches is traced once it is loaded';
		});
	}

	/** What was found last is not to be traced. Never throws. */
	async forget(): Promise<void> {
		this.#wanted = undefined;
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
		const obstacle = agentObstacle(this.#target);
		if (obstacle) {
			throw obstacle;
		}

		const request = {...this.#request, patterns: [...new Set([...this.#request.patterns, pattern])]};
		this.session ??= await TraceSession.open(this.#target);
		this.problem = undefined;
		const {survey} = await this.session.survey({...request, patterns: [pattern]});
		const unmatched = survey.unmatched.find(each => each.pattern === pattern);
		const [refused] = survey.refused;
		const isNothing = survey.methods === 0 && survey.classes === 0;
		if (isNothing && !canWaitFor(survey)) {
			throw new UserError(unmatched ? unmatchedText(unmatched) : `${refused.name}: ${refused.reason}`);
		}

		const {survey: {methods: all}} = await this.session.survey(request);
		this.#wanted = {...request, maxMethods: Math.max(all, request.maxMethods)};
		const names = someNames(survey);
		return {
			question: isNothing ? `wait for a class that matches ${pattern}? [y/N] ` : `trace ${countText(survey)}? [y/N] `,
			about: [
				...(unmatched ? [`${unmatchedText(unmatched)}.`] : []),
				...(names === '' ? [] : [`${names}.`]),
				...(all > request.maxMethods ? [`That makes ${all}, more than --max-methods ${request.maxMethods}.`] : []),
				traceNote(this.#target, !this.#isTracing),
			].join(' '),
		};
	}

	/** One thing at a time; where it fails and nothing is traced, nothing stays in the target. */
	async #alone<Result>(action: () => Promise<Result>): Promise<Result> {
		if (this.#isBusy) {
			throw new UserError('another pattern is being looked up right now');
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
