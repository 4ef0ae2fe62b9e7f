import type {Probe, ProbePoint} from '../../model/task-probe.js';

/** How many tasks are followed at once, and how often the agent reports. */
export type TaskLimits = {readonly most: number; readonly periodMs: number};

/** A probe as the agent takes it; agent/src/main/java/tprof/agent/TaskProbe.java reads it. */
export function commandOf({states, points, kinds, exclude, counters}: Probe, {most, periodMs}: TaskLimits): string {
	return [
		'phase tasks',
		`most\t${most}`,
		`period\t${periodMs}`,
		...states.map(({kind}) => `state\t${kind}`),
		...points.map(point => pointLine(point)),
		...kinds.map(({className, path}) => `kind\t${className}\t${path}`),
		...exclude.map(glob => `exclude\t${glob}`),
		...counters.map(({root, className, path}) => `counter\t${root}\t${className}\t${path}`),
		'',
	].join('\n');
}

function pointLine({className, method, descriptor = '*', at, source, path = '-', to, from, isNew, withSubclasses, needsTrue, number}: ProbePoint): string {
	// A bit for each state; those that there are not do no harm.
	let states = 0xFF_FF_FF;
	if (from) {
		states = 0;
		for (const state of from) {
			states += 2 ** state;
		}
	}

	const flags = `-${isNew ? 'b' : ''}${withSubclasses ? 's' : ''}${needsTrue ? 't' : ''}`;
	return ['point', className, method, descriptor, at, source, path, to, states, flags, number?.parameter ?? -1, number?.values.join(',') ?? '-'].join('\t');
}
