import type {Probe} from '../../model/task-probe.js';
import type {AgentTaskReport, TaskReport} from '../../model/task-report.js';
import {parseTaskReport} from '../../model/task-report-bytes.js';
import type {Target} from '../../jvm/target.js';
import {UserError} from '../../runtime/errors.js';
import {AgentSession} from '../agent-session.js';
import {commandOf, type TaskLimits} from './command.js';

/** Moments that are kept: a minute, at a report each second. */
const mostHistory = 60;

/** What to say of a report with faults. */
export function probeFault({probe, faults}: TaskReport): UserError {
	return new UserError(`the probe ${probe}: ${faults.join('; ')}`, {hint: 'docs/probes.md says what a probe has', exitCode: 2});
}

/** Tasks followed in a target as a probe says, see `AgentSession`. */
export class TaskSession {
	/** Loads the agent and follows tasks from then on. Throws UserError. */
	static async begin(target: Target, probe: Probe, limits: TaskLimits, file?: string): Promise<TaskSession> {
		const session = await AgentSession.open(target, bytes => parseTaskReport(bytes, probe), {file});
		try {
			await session.command(commandOf(probe, limits));
			return new TaskSession(session, probe);
		} catch (error) {
			await session.close();
			throw error;
		}
	}

	readonly #session: AgentSession<AgentTaskReport>;
	readonly #probe: Probe;
	#last: {readonly from: AgentTaskReport; readonly report: TaskReport} | undefined;

	private constructor(session: AgentSession<AgentTaskReport>, probe: Probe) {
		this.#session = session;
		this.#probe = probe;
	}

	/** See `AgentSession.read`; throws too when a path of the probe leads nowhere. The same object as long as the agent reports nothing new. */
	read(): TaskReport | undefined {
		const report = this.#with(this.#session.read());
		if (report && report.faults.length > 0) {
			throw probeFault(report);
		}

		return report;
	}

	/** Whether the target still runs. */
	isAlive(): boolean {
		return this.#session.isAlive();
	}

	/** Takes everything out of the target; resolves with the last report, which has every task. Never throws. */
	async close(): Promise<TaskReport | undefined> {
		return this.#with(await this.#session.close());
	}

	#with(report: AgentTaskReport | undefined): TaskReport | undefined {
		if (report && this.#last?.from !== report) {
			const {name, states, counters} = this.#probe;
			this.#last = {
				from: report,
				report: {
					...report, probe: name, states, counters, notes: this.#notes(report), history: [...this.#last?.report.history ?? [], inStates(report, states.length)].slice(-mostHistory),
				},
			};
		}

		return this.#last?.report;
	}

	#notes({refused, missingPoints, unloadedPoints, oneIn, skipped, missed}: AgentTaskReport): string[] {
		const missing = missingPoints.map(index => this.#probe.points[index]).filter(({isOptional}) => !isOptional);
		const unloaded = [...new Set(unloadedPoints.map(index => this.#probe.points[index].className))];
		return [
			...(unloaded.length > 0 ? [`not loaded yet, and watched once it is: ${unloaded.join(', ')}`] : []),
			...(oneIn > 1 || skipped > 0 ? [`more tasks at a time than --max-tasks allows: ${oneIn > 1 ? `one in ${oneIn} new ones is followed now` : 'all new ones are followed again'}; ${skipped} were not`] : []),
			...missing.map(({className, method}) => `not watched: there is no ${className}.${method} with such a task`),
			...refused.map(({name, reason}) => `not watched: ${name}: ${reason}`),
			...(missed > 0 ? [`${missed} events were not counted: a thread stood still in the middle of one`] : []),
		];
	}
}

function inStates({now}: AgentTaskReport, states: number): number[] {
	const counts = Array.from({length: states}, () => 0);
	for (const {state, count} of now) {
		counts[state] += count;
	}

	return counts;
}
