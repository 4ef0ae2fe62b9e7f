import {closeSync, readFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {AttachClient} from '../engines/attach/socket/client.js';
import type {TraceReport} from '../model/traces/report.js';
import {parseReport} from '../model/traces/report-bytes.js';
import {bundledFile} from '../process/bundled-file.js';
import {UserError} from '../process/errors.js';
import {errorCode, isAlive} from '../jvm/system/proc.js';
import type {Target} from '../jvm/target.js';
import {ControlFile, hear} from './files.js';
import {loadAgent} from './load.js';
import {makeSessionFolder} from './session-folder.js';

/** What is to be traced. */
export type TraceRequest = {
	/** Class#method, Class.method, globs in both, or @Annotation. */
	readonly patterns: readonly string[];
	/** Methods below which alone calls count; empty: everywhere. */
	readonly under: readonly string[];
	/** Traces shorter than this are not kept whole. */
	readonly leastNs: number;
	/** Traces that are kept whole. */
	readonly keep: number;
	/** Methods woven at most. */
	readonly maxMethods: number;
	/** Share of one CPU, percent, that tracing may cost: methods beyond that are let go. 100: whatever it costs. */
	readonly maxOverheadPercent: number;
	/** How often the agent reports. */
	readonly periodMs: number;
};

const beatMs = 1000;
const pollMs = 20;
/** The JVM throws compiled code away and verifies the classes: seconds on a machine with much to do. */
const answerTimeoutMs = 60_000;
const jar = 'agent/agent.jar';

/** What the agent's last words mean to the user. */
const lastWords: ReadonlyArray<readonly [RegExp, string, string]> = [
	[/busy/, 'another tprof-top is tracing this JVM', 'end that one first'],
	[/^file .*(?:no space|disk quota|file too large)/i, 'the disk with the target\'s /tmp is full: what was traced could not be written', 'make room there, and try again'],
	[/^file /, 'the agent could not write its report in the target\'s /tmp', 'check that file system'],
];

/**
An agent in the target: loaded when this is opened, and gone with everything that it changed when this is closed, when
we end in whatever way, or when we stand still for ten seconds. Methods throw UserError.
*/
export class TraceSession {
	/** Loads the agent, from the jar that came along or another file. Nothing is woven yet. */
	static async open(target: Target, file = bundledFile(jar)): Promise<TraceSession> {
		if (file === undefined) {
			throw new UserError(`the agent is not here: it is ${jar} beside tprof-top's cli.js`, {hint: 'copy the whole dist folder, or install the package'});
		}

		let folder: ReturnType<typeof makeSessionFolder>;
		try {
			folder = makeSessionFolder(target, readFileSync(file));
		} catch (error) {
			const code = errorCode(error);
			throw new UserError(`cannot put the agent into the /tmp of JVM ${target.pid} (${code})`, {hint: code === 'ENOSPC' || code === 'EDQUOT' ? 'its disk is full: make room there' : 'run tprof-top as the same user as the JVM, or as root; its /tmp must be writable'});
		}

		const control = new ControlFile(folder.control);
		const session = new TraceSession(target, control, folder.data);
		try {
			const loaded = await loadAgent(new AttachClient(target), target, folder.path);
			session.#hear();
			if (!loaded.ok) {
				throw new UserError(loaded.reason, {hint: loaded.hint});
			}

			return session;
		} catch (error) {
			session.#letGo();
			throw error;
		} finally {
			folder.remove();
		}
	}

	readonly #target: Target;
	readonly #control: ControlFile;
	readonly #data: number;
	readonly #beat: NodeJS.Timeout;
	#number = 0n;
	#report: TraceReport | undefined;
	#isOver = false;

	private constructor(target: Target, control: ControlFile, data: number) {
		this.#target = target;
		this.#control = control;
		this.#data = data;
		this.#beat = setInterval(() => {
			control.beat();
		}, beatMs);
		control.beat();
	}

	/** Looks up what the request means; nothing is changed in the target. */
	async survey(request: TraceRequest): Promise<TraceReport> {
		return this.#command('match', request);
	}

	/** Weaves what the request means, and takes out what an earlier one meant and this one does not. */
	async weave(request: TraceRequest): Promise<TraceReport> {
		return this.#command('weave', request);
	}

	/** What the agent reported last. Throws when it is over otherwise than by `close`. */
	read(): TraceReport | undefined {
		this.#hear();
		if (this.#report?.phase === 'over') {
			throw new UserError('the agent has taken the tracing out, as tprof-top stood still', {hint: 'trace again'});
		}

		return this.#report;
	}

	/** Whether the target still runs. */
	isAlive(): boolean {
		return isAlive(this.#target);
	}

	/** Takes everything out of the target; resolves with the last report, which has every call. Never throws. */
	async close(): Promise<TraceReport | undefined> {
		if (!this.#isOver) {
			try {
				this.#control.command('phase stop\n');
				const deadline = performance.now() + answerTimeoutMs;
				while (this.#report?.phase !== 'over' && this.isAlive() && performance.now() < deadline) {
					await sleep(pollMs);
					this.#hear();
				}
			} catch {
				// It ended by itself, which is what we want.
			}

			this.#letGo();
		}

		return this.#report;
	}

	async #command(phase: 'match' | 'weave', {patterns, under, leastNs, keep, maxMethods, maxOverheadPercent, periodMs}: TraceRequest): Promise<TraceReport> {
		const number = this.#control.command([
			`phase ${phase}`,
			...patterns.map(pattern => `pattern ${pattern}`),
			...under.map(pattern => `under ${pattern}`),
			`least ${Math.round(leastNs)}`,
			`keep ${keep}`,
			`methods ${maxMethods}`,
			`overhead ${maxOverheadPercent}`,
			`period ${periodMs}`,
			'',
		].join('\n'));
		const deadline = performance.now() + answerTimeoutMs;
		for (;;) {
			await sleep(pollMs);
			const report = this.read();
			if (report && report.command >= number) {
				return report;
			}

			if (!this.isAlive()) {
				throw new UserError(`JVM ${this.#target.pid} has ended`);
			}

			if (performance.now() > deadline) {
				throw new UserError(`the agent in JVM ${this.#target.pid} does not answer`, {hint: 'the JVM may be very busy; the agent takes everything out by itself when it is not'});
			}
		}
	}

	/** Takes the newest report. Throws when there will be no more. */
	#hear(): void {
		const heard = hear(this.#data, this.#number);
		if (heard.state === 'over') {
			const [, reason, hint] = lastWords.find(([pattern]) => pattern.test(heard.lastWord)) ?? [undefined, `the agent gave up: ${heard.lastWord}`, 'the target is as it was'];
			throw new UserError(reason, {hint});
		}

		if (heard.state === 'report') {
			try {
				this.#report = parseReport(heard.bytes);
			} catch {
				throw new UserError(`what the agent in JVM ${this.#target.pid} reports cannot be read`, {hint: 'something in the target changes its files'});
			}

			this.#number = heard.number;
		}
	}

	#letGo(): void {
		if (!this.#isOver) {
			this.#isOver = true;
			clearInterval(this.#beat);
			this.#control.close();
			closeSync(this.#data);
		}
	}
}
