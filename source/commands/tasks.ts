import {joined, safe} from '../util/printable.js';
import {wrapAt} from '../exports/common/text-table.js';
import {shippedProbes, type Probe} from '../model/task-probe.js';
import type {TaskReport} from '../model/task-report.js';
import type {Options} from '../options/parse.js';
import {readProbe} from '../probes/probe-file.js';
import {UserError} from '../runtime/errors.js';
import type {Target} from '../jvm/target.js';
import {runningLoops} from '../sampler/running-loops.js';
import {LiveReports} from '../tracing/live-reports.js';
import {probeFault, TaskSession} from '../tracing/task-session.js';
import {tasksView} from '../views/tasks/tasks-view.js';
import {confirmTarget, readUntil, reportFormat, runAgent, type Outcome} from './agent-run.js';
import {profileTarget, type LiveTasks} from './profile-target.js';
import {whatAgentDoes} from './trace-texts.js';

const reportIntervalMs = 1000;

/** Follows the target's tasks for a time and prints a report. Returns the exit code; throws UserError. */
export async function followTasks(name: string, options: Options): Promise<number> {
	const probe = readProbe(options.probe);
	return runAgent({
		format: reportFormat('tasks', options),
		findTarget: async () => confirmTasks(name, options, probe),
		observe: async (target, forMs, stop) => lastReport(await beginTasks(target, probe, options), forMs, stop),
		notesOf: ({notes}) => notes,
	}, options);
}

/** Follows the target's tasks and shows them on the screen. Returns the exit code; throws UserError. */
export async function followTasksOnScreen(name: string, options: Options): Promise<number> {
	return followTasksLive(name, options, async (target, tasks) =>
		profileTarget(target, {...options, view: options.view ?? tasksView.id}, {tasks}));
}

/** Follows the target's tasks while `show` runs. Returns the exit code; throws UserError. */
export async function followTasksLive(
	name: string,
	options: Options,
	show: (target: Target, tasks: LiveTasks) => Promise<number>,
): Promise<number> {
	const probe = readProbe(options.probe);
	const target = await confirmTasks(name, options, probe);
	if (!target) {
		return 1;
	}

	const tasks: LiveTasks = new LiveReports(
		(snapshot, report) => ({...snapshot, tasks: report}),
		await beginTasks(target, probe, options),
	);
	try {
		return await show(target, tasks);
	} finally {
		await tasks.close();
	}
}

async function confirmTasks(
	name: string,
	options: Options,
	{name: probe, points}: Probe,
): Promise<Target | undefined> {
	const methods = new Set<string>(points.map(({className, method}) => `${className}.${method}`));
	return confirmTarget(name, options, target =>
		whatAgentDoes(target, {
			head: `Following tasks (probe ${probe})`,
			rewrites: `rewrites ${methods.size} methods, such as ${[...methods].slice(0, 2).join(' and ')}, to see where tasks go`,
			costs: 'each step of a task costs 0.2 to 0.5 microseconds, and a task that is followed about 70 bytes',
		}), 'Follow tasks? [y/N] ');
}

async function beginTasks(target: Target, probe: Probe, {maxTasks, withRunningLoops}: Options): Promise<TaskSession> {
	if (!withRunningLoops) {
		await checkLoops(target, probe);
	}

	return TaskSession.begin(target, probe, {most: maxTasks, reportIntervalMs});
}

/** Virtual threads, and the pool that runs them. */
const classesOfVirtualThreads = /^java\.(?:lang\.VirtualThread|util\.concurrent\.ForkJoin)/;

/** Throws UserError if a thread runs a loop in a class that the probe would change, see `runningLoops`. */
async function checkLoops(target: Target, {points}: Probe): Promise<void> {
	const classes = new Set<string>(points.map(({className}) => className));
	const {methods, deepMethods, areCarriersBusy} = await runningLoops(target);
	if (areCarriersBusy && [...classes].some(name => classesOfVirtualThreads.test(name))) {
		throw new UserError('virtual threads use much of the CPU, and following tasks changes what runs them', {
			hint: 'they would stay slower when that is over; --running-loops does so',
		});
	}

	const isOfProbe = (method: string) => classes.has(method.slice(0, method.lastIndexOf('.')));
	const deep = deepMethods.find(method => isOfProbe(method));
	if (deep !== undefined) {
		throw new UserError(`${deep} calls itself more than a thousand times, as tasks wait for others`, {
			hint: 'changed, its calls may need more stack than the thread has; --running-loops does so',
		});
	}

	const loop = methods.find(method => isOfProbe(method));
	if (loop !== undefined) {
		throw new UserError(`a loop in ${loop} takes much of a thread's time, as tasks are so short`, {
			hint: 'changed, it would be interpreted, many times slower, until its thread ends; --running-loops does so',
		});
	}
}

/** Returns the last report, with every task up to the end. Throws UserError without one, or for the probe's faults. */
async function lastReport(session: TaskSession, forMs: number, stop: AbortSignal): Promise<Outcome<TaskReport>> {
	try {
		const outcome = await readUntil(session, forMs, stop);
		const {report} = outcome;
		if (!report) {
			throw new UserError('the agent has reported nothing');
		}

		if (report.faults.length > 0) {
			throw probeFault(report);
		}

		return {...outcome, report};
	} finally {
		await session.close();
	}
}

const textWidth = 100;

/** Returns the text of `tprof-top probes`: the shipped probes, and what each watches. Throws UserError. */
export function probesText(): string {
	const lines = shippedProbes.flatMap(name => {
		const {about, states, points, counters} = readProbe(name);
		const classes = [...new Set(points.map(({className}) => className.replace(/^.*\./, safe``)))];
		return [
			name,
			...wrapAt(safe` `, safe`  ${about}`, textWidth, safe`  `),
			...wrapAt(safe`, `, safe`  states: ${joined(states.map(({title}) => title), safe`, `)}`, textWidth, safe`    `),
			...wrapAt(safe`, `, safe`  watches: ${joined(classes, safe`, `)}`, textWidth, safe`    `),
			...(counters.length > 0
				? wrapAt(
					safe`, `,
					safe`  counters: ${joined(counters.map(counter => counter.name), safe`, `)}`,
					textWidth,
					safe`    `,
				)
				: []),
			'',
		];
	});
	return `${lines.join('\n')}A probe of your own is a file: --probe FILE; docs/probes.md says what it has.\n`;
}
