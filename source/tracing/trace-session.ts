import type {TraceReport} from '../model/trace-report.js';
import {parseReport} from '../model/report-bytes.js';
import type {Target} from '../jvm/target.js';
import {AgentSession} from './agent-session.js';

/** Methods, as `Class.method`, with a loop that may be running, and those that threads are in very many times. */
type MethodsInUse = {readonly methods: readonly string[]; readonly deepMethods: readonly string[]};

export type TraceRequest = {
	/** Class#method, Class.method, globs in both, or @Annotation. */
	readonly patterns: readonly string[];
	/** Count only calls made below these methods; empty: all calls. */
	readonly under: readonly string[];
	/** Minimum duration of the traces that are kept, and their maximum number. */
	readonly leastNs: number;
	readonly keep: number;
	readonly maxMethods: number;
	/** Percentage of one CPU that tracing may cost; methods that exceed it are released. 100: no limit. */
	readonly maxOverheadPercent: number;
	readonly reportIntervalMs: number;
	/** Finds methods that run loops, or that threads are deep in: their classes are left alone. Undefined: none are. */
	readonly findRunningLoops: (() => Promise<MethodsInUse>) | undefined;
};

/** An agent that measures every call of some methods. */
export class TraceSession extends AgentSession<TraceReport> {
	/** Loads the agent from the bundled jar or another file; it rewrites nothing yet. */
	static async open(target: Target, file?: string): Promise<TraceSession> {
		return this.load(target, files => new TraceSession(target, files, parseReport), {file});
	}

	/** Looks up what the request matches; changes nothing in the target. */
	async survey(request: TraceRequest): Promise<TraceReport> {
		return this.command(await this.#commandOf('match', request));
	}

	/** Rewrites the methods that the request matches, and restores methods that only an earlier request matched. */
	async weave(request: TraceRequest): Promise<TraceReport> {
		return this.command(await this.#commandOf('weave', request));
	}

	/** Returns a command of the agent. Looks for running loops each time: others may run by now. */
	async #commandOf(phase: 'match' | 'weave', request: TraceRequest): Promise<string> {
		const {patterns, under, leastNs, keep, maxMethods, maxOverheadPercent, reportIntervalMs, findRunningLoops}
			= request;
		const {methods = [], deepMethods = []} = await findRunningLoops?.() ?? {};
		return [
			`phase ${phase}`,
			...patterns.map(pattern => `pattern ${pattern}`),
			...under.map(pattern => `under ${pattern}`),
			...methods.map(method => `running ${method}`),
			...deepMethods.map(method => `deep ${method}`),
			`least ${Math.round(leastNs)}`,
			`keep ${keep}`,
			`methods ${maxMethods}`,
			`overhead ${maxOverheadPercent}`,
			`period ${reportIntervalMs}`,
			'',
		].join('\n');
	}
}
