import {joined, safe, type Printable} from '../util/printable.js';
import {sumOf} from '../util/sum.js';
import type {Probe, ProbePoint} from '../model/task-probe.js';
import type {AgentTaskReport, TaskReport} from '../model/task-report.js';
import {parseTaskReport} from '../model/report-bytes.js';
import type {Target} from '../jvm/target.js';
import {UserError} from '../runtime/errors.js';
import {AgentSession} from './agent-session.js';

/** Maximum number of moments in `history`: a minute, with a report each second. */
const maxHistory = 60;

/** Returns the error of a report with faults. */
export function probeFault({probe, faults}: TaskReport): UserError {
	return new UserError(`the probe ${probe}: ${faults.join('; ')}`, {
		hint: 'docs/probes.md says what a probe has',
		exitCode: 2,
	});
}

/** Follows tasks in a target, as a probe describes them. */
export class TaskSession extends AgentSession<TaskReport> {
	/** Loads the agent and starts following tasks. Throws UserError. */
	static async begin(target: Target, probe: Probe, limits: TaskLimits, file?: string): Promise<TaskSession> {
		const session = await this.load(target, files => new TaskSession(target, files, parserFor(probe)), {file});
		try {
			await session.command(commandOf(probe, limits));
			return session;
		} catch (error) {
			await session.close();
			throw error;
		}
	}

	/** Returns the newest report. Throws also if a path of the probe cannot be followed. */
	override read(): TaskReport | undefined {
		const report = super.read();
		if (report && report.faults.length > 0) {
			throw probeFault(report);
		}

		return report;
	}
}

/** Returns a parser of the session's reports, one after the other: each result includes the history of earlier ones. */
function parserFor(probe: Probe): (bytes: Uint8Array) => TaskReport {
	const {name, states, counters} = probe;
	let history: readonly number[][] = [];
	return bytes => {
		const report = parseTaskReport(bytes, probe);
		history = [...history, countsByState(report, states.length)].slice(-maxHistory);
		return {...report, probe: name, states, counters, notes: notesOf(probe, report), history};
	};
}

const missedReason = 'a thread was held up in the middle of one, or the heap or a stack had no room';

function sampledNote(oneIn: number, skipped: number): Printable {
	const now = oneIn > 1 ? safe`one in ${oneIn} new ones is followed now` : safe`all new ones are followed again`;
	return safe`more tasks at a time than --max-tasks or the heap allows: ${now}; ${skipped} were not`;
}

/** Returns notes on what the agent could not do as the probe says. */
function notesOf(
	{points}: Probe,
	{refused, missingPoints, unloadedPoints, oneIn, skipped, missed}: AgentTaskReport,
): Printable[] {
	const missing = missingPoints.map(index => points[index]).filter(({isOptional}) => !isOptional);
	const unloaded = [...new Set(unloadedPoints.map(index => points[index].className))];
	return [
		...(unloaded.length > 0 ? [safe`not loaded yet, and watched once it is: ${joined(unloaded, safe`, `)}`] : []),
		...(oneIn > 1 || skipped > 0 ? [sampledNote(oneIn, skipped)] : []),
		...missing.map(({className, method}) => safe`not watched: there is no ${className}.${method} with such a task`),
		...refused.map(({name, reason}) => safe`not watched: ${name}: ${reason}`),
		...(missed > 0 ? [safe`${missed} events were not counted: ${missedReason}`] : []),
	];
}

function countsByState({now}: AgentTaskReport, stateCount: number): number[] {
	const counts = Array.from({length: stateCount}, () => 0);
	for (const {state, count} of now) {
		counts[state] += count;
	}

	return counts;
}

/** `most`: tasks followed at once. */
type TaskLimits = {readonly most: number; readonly reportIntervalMs: number};

/** Returns a probe in the agent's format; agent/src/main/java/tprof/agent/TaskProbe.java reads it. */
export function commandOf(
	{states, points, kinds, exclude, counters}: Probe,
	{most, reportIntervalMs}: TaskLimits,
): string {
	return [
		'phase tasks',
		`most\t${most}`,
		`period\t${reportIntervalMs}`,
		...states.map(({kind}) => `state\t${kind}`),
		...points.map(point => pointLine(point)),
		...kinds.map(({className, path}) => `kind\t${className}\t${path}`),
		...exclude.map(glob => `exclude\t${glob}`),
		...counters.map(({root, className, path}) => `counter\t${root}\t${className}\t${path}`),
		'',
	].join('\n');
}

function pointLine(point: ProbePoint): string {
	const {className, method, descriptor = '*', at, source, path = '-', to, from, number} = point;
	// A bit for each state, by default for all 24 that a probe may have.
	const states = from ? sumOf(from, state => 2 ** state) : 0xFF_FF_FF;
	const flags = `-${point.isNew ? 'b' : ''}${point.withSubclasses ? 's' : ''}${point.needsTrue ? 't' : ''}`;
	return [
		'point',
		className,
		method,
		descriptor,
		at,
		source,
		path,
		to,
		states,
		flags,
		number?.parameter ?? -1,
		number?.values.join(',') ?? '-',
	].join('\t');
}
