import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {usage} from '../runtime/errors.js';
import type {Agent} from './profile-target.js';
import {recordSession} from './record.js';
import {resolveTarget} from './resolve-target.js';
import {sampled} from './sampled.js';
import {recordWhen} from './triggers.js';

/**
Records a target, with the traces or tasks that an agent in it reports, if asked for. Returns the exit code; throws
UserError.
*/
export async function recordTarget(name: string, options: Options): Promise<number> {
	const {tracePatterns: patterns, taskProbe} = options;
	if (patterns && taskProbe) {
		throw usage('--trace and --tasks exclude each other', 'a JVM has one agent of tprof-top at a time');
	}

	if (patterns) {
		const {traceLive} = await import('./trace.js');
		return traceLive(
			{target: name, patterns},
			options,
			async (target, tracer) => record(target, options, {tracer}),
		);
	}

	if (taskProbe !== undefined) {
		const {followTasksLive} = await import('./tasks.js');
		return followTasksLive(
			name,
			{...options, probe: taskProbe},
			async (target, tasks) => record(target, options, {tasks}),
		);
	}

	return record(await resolveTarget(name), options);
}

async function record(target: Target, options: Options, {tracer, tasks}: Agent = {}): Promise<number> {
	return sampled(target, options, async sampler => {
		const source = (tasks ?? tracer)?.source(sampler) ?? sampler;
		return options.when ? recordWhen(source, target, options) : recordSession(source, target, options);
	});
}
