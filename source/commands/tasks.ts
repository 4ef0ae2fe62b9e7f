import process from 'node:process';
import {wrapAt} from '../exports/formats/text-table.js';
import {shippedProbes, type Probe} from '../model/task-probe.js';
import type {TaskReport} from '../model/task-report.js';
import type {Command} from '../options/command.js';
import type {Options} from '../options/parse.js';
import {readProbe} from '../probes/library.js';
import {UserError} from '../runtime/errors.js';
import {version} from '../runtime/version.js';
import type {Target} from '../jvm/target.js';
import {LiveReports} from '../tracing/live-reports.js';
import {probeFault, TaskSession} from '../tracing/task-session.js';
import {
	agreedTarget, readUntil, reportFormat, writeReport,
} from './agent-run.js';
import {endsBySignal, planBatch} from './batch.js';
import {whatAgentDoes} from './trace-texts.js';

const periodMs = 1000;

type TasksCommand = Command & {readonly kind: 'tasks'};

/** Tasks that are followed beside the sampling; each snapshot has what is known of them. */
export type LiveTasks = LiveReports<TaskSession, TaskReport>;

/** Follows the target's tasks for a while, and prints their report. Returns the exit code; throws UserError. */
export async function followTasks(command: TasksCommand, options: Options): Promise<number> {
	const format = reportFormat('tasks', options);
	const {windowMs, count} = planBatch(options);
	const probe = readProbe(options.probe);
	const target = await agreedToFollow(command, options, probe);
	if (!target) {
		return 1;
	}

	const {signal: stop} = endsBySignal();
	return writeReport(options, async () => {
		const {report, hasEnded} = await followed(await begun(target, probe, options), windowMs * count, stop);
		if (!report) {
			throw new UserError(`the agent in JVM ${target.pid} has reported nothing`);
		}

		const notes = [...(hasEnded ? [`JVM ${target.pid} ended while its tasks were followed: what they did in its last second may be missing`] : []), ...report.notes];
		return format.write(target.facts, {...report, notes}, {version, top: options.top, width: process.stdout.columns || undefined});
	});
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
async function followed(session: TaskSession, forMs: number, stop: AbortSignal): Promise<{readonly report: TaskReport | undefined; readonly hasEnded: boolean}> {
	try {
		const result = await readUntil(session, forMs, stop);
		if (result.report && result.report.faults.length > 0) {
			throw probeFault(result.report);
		}

		return result;
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
