import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {GrowingFile} from '../../exports/files/growing-file.js';
import {taskFormats} from '../../exports/tasks/registry.js';
import type {Probe} from '../../model/tasks/probe.js';
import type {TaskReport} from '../../model/tasks/report.js';
import type {Command} from '../../options/command.js';
import type {Options} from '../../options/parse.js';
import {readProbe} from '../../probes/library.js';
import {endSignals} from '../../process/end-signals.js';
import {UserError} from '../../process/errors.js';
import {version} from '../../process/version.js';
import type {Target} from '../../jvm/target.js';
import {TaskSession} from '../../tracing/tasks/session.js';
import {planBatch} from '../batch-plan.js';
import {resolveTarget} from '../resolve-target.js';
import {isAgreed, print} from '../trace.js';
import {agentObstacle, whatAgentDoes} from '../trace-texts.js';
import {LiveTasks} from './live-tasks.js';

const pollMs = 50;
const periodMs = 1000;

type TasksCommand = Command & {readonly kind: 'tasks'};

/** Follows the target's tasks for a while, and prints what they did. Returns the exit code; throws UserError. */
export async function followTasks(command: TasksCommand, options: Options): Promise<number> {
	const format = taskFormats.find(({id}) => id === options.format);
	if (!format) {
		throw new UserError(`--format ${options.format} has no tasks`, {hint: `use one of ${taskFormats.map(({id}) => id).join(', ')}`, exitCode: 2});
	}

	const {windowMs, count} = planBatch(options);
	const agreed = await agreedTarget(command, options);
	if (!agreed) {
		return 1;
	}

	const stop = new AbortController();
	for (const signal of endSignals) {
		process.once(signal, () => {
			stop.abort();
		});
	}

	const output = options.output === undefined ? undefined : await GrowingFile.create(options.output);
	try {
		const {target} = agreed;
		const {report, hasEnded} = await followed(await begun(agreed, options), {forMs: windowMs * count, stop: stop.signal});
		if (!report) {
			throw new UserError(`the agent in JVM ${target.pid} has reported nothing`);
		}

		const notes = [...(hasEnded ? [`JVM ${target.pid} ended while its tasks were followed: what they did in its last second may be missing`] : []), ...report.notes];
		const written = format.write(target.facts, {...report, notes}, {version, top: options.top, width: process.stdout.columns || undefined});
		await (output ? output.append(written) : print(written));
		return 0;
	} finally {
		await output?.finish();
	}
}

/** Follows the target's tasks while `show` shows them. Returns the exit code; throws UserError. */
export async function followTasksLive(command: TasksCommand, options: Options, show: (target: Target, tasks: LiveTasks) => Promise<number>): Promise<number> {
	const agreed = await agreedTarget(command, options);
	if (!agreed) {
		return 1;
	}

	const tasks = new LiveTasks(await begun(agreed, options));
	try {
		return await show(agreed.target, tasks);
	} finally {
		await tasks.close();
	}
}

type Agreed = {readonly target: Target; readonly probe: Probe};

/** The target, if the user agrees to what is about to be done to it. */
async function agreedTarget({target: text}: TasksCommand, {yes, probe: name}: Options): Promise<Agreed | undefined> {
	const probe = readProbe(name);
	const target = await resolveTarget(text);
	const obstacle = agentObstacle(target);
	if (obstacle) {
		throw obstacle;
	}

	return yes || await isAgreed(`${whatFollowingDoes(target, probe)}\n`, 'Follow tasks? [y/N] ') ? {target, probe} : undefined;
}

/** What is about to be done to the target, for whoever has to agree to it. */
function whatFollowingDoes(target: Target, {name, points}: Probe): string {
	const methods = new Set(points.map(({className, method}) => `${className}.${method}`));
	return whatAgentDoes(target, {
		head: `Following tasks (probe ${name})`,
		rewrites: `rewrites ${methods.size} methods, such as ${[...methods].slice(0, 2).join(' and ')}, to see where tasks go`,
		costs: 'each step of a task costs 0.2 to 0.5 microseconds, and a task that is followed about 70 bytes',
	});
}

async function begun({target, probe}: Agreed, {maxTasks}: Options): Promise<TaskSession> {
	return TaskSession.begin(target, probe, {most: maxTasks, periodMs});
}

/** The last report, with every task up to the end. */
async function followed(session: TaskSession, {forMs, stop}: {readonly forMs: number; readonly stop: AbortSignal}): Promise<{readonly report: TaskReport | undefined; readonly hasEnded: boolean}> {
	try {
		const endMs = performance.now() + forMs;
		while (!stop.aborted && session.isAlive() && performance.now() < endMs) {
			await sleep(Math.max(1, Math.min(pollMs, endMs - performance.now())));
			session.read();
		}

		const hasEnded = !session.isAlive();
		return {report: await session.close(), hasEnded};
	} finally {
		await session.close();
	}
}
