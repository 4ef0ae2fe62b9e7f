import {formatOf} from '../exports/formats/format-registry.js';
import type {Target} from '../jvm/target.js';
import type {TaskReport} from '../model/task-report.js';
import type {Options} from '../options/parse.js';
import type {LiveReports} from '../tracing/live-reports.js';
import type {TaskSession} from '../tracing/task-session.js';
import type {Opener} from './live.js';
import type {LiveTracer} from './live-tracer.js';
import {sampled} from './sampled.js';
import {showOrGoBack} from './show.js';

/** Follows tasks during sampling; adds the task report to each snapshot. */
export type LiveTasks = LiveReports<TaskSession, TaskReport>;

/** What an agent in the target reports, if there is one: calls of methods, or tasks. */
export type Agent = {readonly tracer?: LiveTracer; readonly tasks?: LiveTasks};

/** Samples a target until the screen or the reports end. Returns the exit code; throws UserError. */
export async function profileTarget(target: Target, options: Options, agent: Agent = {}): Promise<number> {
	return await profileOrGoBack(target, options, agent) ?? 0;
}

/** The same; returns undefined if the user went back to the table in which it was opened. */
export async function profileOrGoBack(
	target: Target,
	options: Options,
	agent: Agent,
	opener?: Opener,
): Promise<number | undefined> {
	// The screen may show or save whole stacks.
	const depth = options.onScreen ? undefined : formatOf(options.format).depth;
	return sampled(target, options, async sampler => {
		let {tracer} = agent;
		// On the screen the user may choose methods. Only one agent at a time: while it follows tasks, it cannot trace.
		if (options.onScreen && !agent.tasks) {
			const {LiveTracer, traceRequest} = await import('./live-tracer.js');
			tracer ??= new LiveTracer(target, traceRequest(target, [], options));
		}

		try {
			const source = (agent.tasks ?? tracer)?.source(sampler) ?? sampler;
			return await showOrGoBack(source, options, {target, tracer, opener});
		} finally {
			await tracer?.close();
		}
	}, depth);
}
