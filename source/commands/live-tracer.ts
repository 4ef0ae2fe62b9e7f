import type {SnapshotSource} from '../model/source.js';
import type {TraceReport} from '../model/traces/report.js';
import {checkPattern} from '../options/command.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../process/errors.js';
import type {Target} from '../jvm/target.js';
import {LiveReports} from '../tracing/live-reports.js';
import {TraceSession, type TraceRequest} from '../tracing/session.js';
import {agentObstacle, traceNote, unmatchedText} from './trace-texts.js';

const periodMs = 1000;

/** What the options ask for, of these patterns. */
export function requestOf(patterns: readonly string[], options: Options): TraceRequest {
	return {
		patterns, under: options.under, leastNs: options.leastNs, keep: options.slowest, maxMethods: options.maxMethods, maxOverheadPercent: options.maxOverheadPercent, periodMs,
	};
}

/** Traces methods beside the sampling, as the user asks for them; what is traced stands in each snapshot. */
export class LiveTracer extends LiveReports<TraceSession, TraceReport> {
	readonly #target: Target;
	#request: TraceRequest;
	readonly #note: string;
	#isBusy = false;

	/** `request` has what is not asked for while it runs; its patterns are those of the first `begin`. */
	constructor(target: Target, request: TraceRequest) {
		super((snapshot, traces) => ({...snapshot, traces}));
		this.#target = target;
		this.#request = request;
		this.#note = traceNote(target);
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
				return true;
			}
		} catch (error) {
			await this.close();
			throw error;
		}

		await this.close();
		return false;
	}

	/** Traces what a pattern means too, and says what that is in one line. Throws UserError. */
	async add(text: string): Promise<string> {
		if (this.#isBusy) {
			throw new UserError('another pattern is being traced right now');
		}

		this.#isBusy = true;
		try {
			return await this.#add(checkPattern(text, 'com.acme.Foo#bar'));
		} finally {
			this.#isBusy = false;
		}
	}

	async #add(pattern: string): Promise<string> {
		const obstacle = agentObstacle(this.#target);
		if (obstacle) {
			throw obstacle;
		}

		const before = this.#request;
		const request = {...before, patterns: [...new Set([...before.patterns, pattern])]};
		const session = this.session ?? await TraceSession.open(this.#target);
		this.session = session;
		this.problem = undefined;
		try {
			const {survey} = await session.survey(request);
			const unmatched = survey.unmatched.find(each => each.pattern === pattern);
			const [refused] = survey.refused;
			if (unmatched) {
				throw new UserError(unmatchedText(unmatched));
			}

			if (survey.methods > request.maxMethods) {
				throw new UserError(`${survey.methods} methods match, more than --max-methods ${request.maxMethods}`);
			}

			if (survey.methods === 0 && survey.classes === 0) {
				throw new UserError(refused ? `${refused.name}: ${refused.reason}` : `nothing of ${pattern} can be traced`);
			}

			this.report = await session.weave(request);
			this.#request = request;
			const {wovenMethods: methods} = this.report;
			return `${methods} ${methods === 1 ? 'method is' : 'methods are'} traced; the Traces view has them`;
		} catch (error) {
			if (before.patterns.length === 0) {
				await this.close();
			}

			throw error;
		}
	}
}
