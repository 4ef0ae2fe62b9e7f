import type {TraceReport} from '../model/trace-report.js';
import {parseReport} from '../model/trace-report-bytes.js';
import type {Target} from '../jvm/target.js';
import {AgentSession} from './agent-session.js';

/** What is to be traced. */
export type TraceRequest = {
	/** Class#method, Class.method, globs in both, or @Annotation. */
	readonly patterns: readonly string[];
	/** Methods below which alone calls count; empty: everywhere. */
	readonly under: readonly string[];
	/** Traces shorter than this are not kept whole. */
	readonly leastNs: number;
	/** Traces that are kept whole. */
	readonly keep: number;
	/** Methods woven at most. */
	readonly maxMethods: number;
	/** Share of one CPU, percent, that tracing may cost: methods beyond that are released. 100: no limit. */
	readonly maxOverheadPercent: number;
	/** How often the agent reports. */
	readonly periodMs: number;
};

/** Methods traced in a target. */
export class TraceSession extends AgentSession<TraceReport> {
	/** Loads the agent, from the jar that came along or another file. Nothing is woven yet. */
	static async open(target: Target, file?: string): Promise<TraceSession> {
		return this.load(target, files => new TraceSession(target, files, parseReport), {file});
	}

	/** Looks up what the request means; nothing is changed in the target. */
	async survey(request: TraceRequest): Promise<TraceReport> {
		return this.command(commandOf('match', request));
	}

	/** Weaves what the request means, and takes out what an earlier one meant and this one does not. */
	async weave(request: TraceRequest): Promise<TraceReport> {
		return this.command(commandOf('weave', request));
	}
}

function commandOf(phase: 'match' | 'weave', {patterns, under, leastNs, keep, maxMethods, maxOverheadPercent, periodMs}: TraceRequest): string {
	return [
		`phase ${phase}`,
		...patterns.map(pattern => `pattern ${pattern}`),
		...under.map(pattern => `under ${pattern}`),
		`least ${Math.round(leastNs)}`,
		`keep ${keep}`,
		`methods ${maxMethods}`,
		`overhead ${maxOverheadPercent}`,
		`period ${periodMs}`,
		'',
	].join('\n');
}
