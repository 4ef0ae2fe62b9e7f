import {wrapAt} from '../exports/common/text-table.js';
import {shippedProbes, type Probe} from '../model/task-probe.js';
import type {TaskReport} from '../model/task-report.js';
import type {Command} from '../options/command.js';
import type {Options} from '../options/parse.js';
import {readProbe} from '../probes/library.js';
import {UserError} from '../runtime/errors.js';
import type {Target} from '../jvm/target.js';
import {LiveReports} from '../tracing/live-reports.js';
import {probeFault, TaskSession} from '../tracing/task-session.js';
import {
	agreedTarget, readUntil, reportFormat, runAgent, type Outcome,
} from './agent-run.js';
import {whatAgentDoes} from './trace-texts.js';

const periodMs = 1000;

type TasksCommand = Command & {readonly kind: 'tasks'};

/** Tasks that are followed beside the sampling; each snapshot has what is known of them. */
export type LiveTasks = LiveReports<TaskSession, TaskReport>;

/** Follows the target's tasks for a while, and prints their report. Returns the exit code; throws UserError. */
export async function followTasks(command: TasksCommand, options: Options): Promise<number> {
	const probe = readProbe(options.probe);
	return runAgent({
		format: reportFormat('tasks', options),
		agreed: async () => agreedToFollow(command, options, probe),
		observe: async (target, forMs, stop) => followed(await begun(target, probe, options), forMs, stop),
		notesOf: ({notes}) => notes,
	}, options);
}

/** Follows the target's tasks while `show` shows them. Returns the exit code; throws UserError. */
export async function followTasksLive(command: TasksCommand, options: Options, show: (target: Target, tasks: LiveTasks) => Promise<number>): Promise<number> {
	const probe = readProbe(options.probe);
	const target = await agreedToFollow(command, options, probe);
	if (!target) {
		return 1;
	}

	const tasks: LiveTasks = new LiveReports((snapshot, report) => ({...snapshot, tasks: report}), await begun(target, probe, options));
	try {
		return await show(target, tasks);
	} finally {
		await tasks.close();
	}
}

async function agreedToFollow(command: TasksCommand, options: Options, {name, points}: Probe): Promise<Target | undefined> {
	const methods = new Set(points.map(({className, method}) => `${className}.${method}`));
	return agreedTarget(command.target, options, target => whatAgentDoes(target, {
		head: `Following tasks (probe ${name})`,
		rewrites: `rewrites ${methods.size} methods, such as ${[...methods].slice(0, 2).join(' and ')}, to see where tasks go`,
		costs: 'each step of a task costs 0.2 to 0.5 microseconds, and a task that is followed about 70 bytes',
	}), 'Follow tasks? [y/N] ');
}

async function begun(target: Target, probe: Probe, {maxTasks}: Options): Promise<TaskSession> {
	return TaskSession.begin(target, probe, {most: maxTasks, periodMs});
}

/** The last report, with every task up to the end. */
async function followed(session: TaskSession, forMs: number, stop: AbortSignal): Promise<Outcome<TaskReport>> {
	try {
		const {report, hasEnded} = await readUntil(session, forMs, stop);
		if (!report) {
			throw new UserError('the agent has reported nothing');
		}

		if (report.faults.length > 0) {
			throw probeFault(report);
		}

		return {report, hasEnded};
	} finally {
		await session.close();
	}
}

const width = 100;

/** The probes that ship, and what each watches. Throws UserError. */
export function probesText(): string {
	const lines = shippedProbes.flatMap(name => {
		const {about, states, points, counters} = readProbe(name);
		const classes = [...new Set(points.map(({className}) => className.replace(/^.*\./, '')))];
		return [
			name,
			...wrapAt(' ', `  ${about}`, width, '  '),
			...wrapAt(', ', `  states: ${states.map(({title}) => title).join(', ')}`, width, '    '),
			...wrapAt(', ', `  watches: ${classes.join(', ')}`, width, '    '),
			...(counters.length > 0 ? wrapAt(', ', `  counters: ${counters.map(counter => counter.name).join(', ')}`, width, '    ') : []),
			'',
		];
	});
	return `${lines.join('\n')}A probe of your own is a file: --probe FILE; docs/probes.md says what it has.\n`;
}
