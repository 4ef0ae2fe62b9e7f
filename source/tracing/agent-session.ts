import {closeSync, readFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {AttachClient} from '../jvm/attach/client.js';
import type {AgentReport} from '../model/trace-report.js';
import {readBundled} from '../util/bundle.js';
import {UserError} from '../runtime/errors.js';
import {errorCode, isAlive} from '../jvm/system/proc.js';
import type {Target} from '../jvm/target.js';
import {printable} from '../util/printable.js';
import {checkRoom, filledHeap, lowHeap} from './room.js';
import {ControlFile, progressOf, readAgent} from './agent-files.js';
import {loadTimeoutMs, makeSessionFolder, removeUnusedFolders} from './session-folder.js';

/** How often we write a heartbeat. The agent removes itself after ten seconds without one. */
const heartbeatMs = 1000;
/** How often the agent's file is read while an answer is pending. */
const pollMs = 20;
/** While the agent executes a command, it signals progress at least this often. */
const silenceTimeoutMs = 10_000;
/** Maximum time for an answer: the JVM deoptimizes code and verifies classes, seconds of work on a loaded machine. */
const answerTimeoutMs = 60_000;
/** The agent's own limit (Channel.java). */
const maxCommandBytes = 64 * 1024;
const jar = 'agent/agent.jar';

/** What the agent says when it ends by itself, with reason and hint for the user. */
type ExitReason = readonly [message: RegExp, reason: string, hint: string];

const fullHeap: ExitReason = [
	/^memory |OutOfMemoryError/,
	'the JVM\'s heap is full: the agent has removed itself',
	'give it a larger -Xmx',
];
const exitReasons: readonly ExitReason[] = [
	[/busy/, 'another tprof-top has its agent in this JVM', 'end that one first; if it was killed, wait ten seconds'],
	[
		/^file .*(?:no space|disk quota|file too large)/i,
		'the disk with the target\'s /tmp is full: the agent could not write its report',
		'make room there, and try again',
	],
	[/^file /, 'the agent could not write its report in the target\'s /tmp', 'check that file system'],
	[
		/^memory matches/,
		'the patterns match more classes than the JVM\'s heap has room to look at',
		'narrow the patterns',
	],
	fullHeap,
];

/** The files between tprof-top and the agent; `data`: descriptor of the file that the agent writes. */
type AgentFiles = {readonly control: ControlFile; readonly data: number};

/**
An agent in the target. It undoes all its changes and detaches itself when the session is closed, or when our process
ends in any way or is suspended for ten seconds. Methods throw UserError.
*/
export class AgentSession<Report extends AgentReport> {
	/** Loads the agent from the bundled jar or another file, within `timeoutMs`; it rewrites nothing yet. */
	static async load<Session extends AgentSession<AgentReport>>(
		target: Target,
		make: (files: AgentFiles) => Session,
		{file, timeoutMs = loadTimeoutMs}: {readonly file?: string; readonly timeoutMs?: number} = {},
	): Promise<Session> {
		const bytes = file === undefined ? readBundled(jar) : readFileSync(file);
		if (bytes === undefined) {
			throw new UserError(`the agent (${jar}) is missing beside tprof-top's cli.js`, {
				hint: 'copy the whole dist folder, or install the package',
			});
		}

		checkRoom(target);
		const endMs = performance.now() + timeoutMs;
		let folder: ReturnType<typeof makeSessionFolder>;
		try {
			folder = makeSessionFolder(target, bytes);
		} catch (error) {
			const code = errorCode(error);
			throw new UserError(`cannot put the agent into the /tmp of JVM ${target.pid} (${code})`, {
				hint: isFull(code)
					? fullHint
					: 'run tprof-top as the same user as the JVM, or as root; its /tmp must be writable',
			});
		}

		const session = make({control: new ControlFile(folder.control), data: folder.data});
		let load: LoadState = 'pending';
		try {
			const leftMs = Math.max(0, endMs - performance.now());
			const loaded = await loadAgent(new AttachClient(target), target, folder.path, leftMs);
			load = loaded.ok ? 'answered' : loaded.load;
			session.#readNewest();
			if (!loaded.ok) {
				checkRoom(target);
				throw new UserError(loaded.reason, {hint: loaded.hint});
			}

			return session;
		} catch (error) {
			session.#detach();
			throw error;
		} finally {
			folder.remove({isPending: load === 'pending'});
			if (load === 'answered') {
				removeUnusedFolders(target);
			}
		}
	}

	readonly #target: Target;
	readonly #control: ControlFile;
	readonly #data: number;
	readonly #parse: (bytes: Uint8Array) => Report;
	readonly #heartbeat: NodeJS.Timeout;
	#newestReportNumber = 0n;
	#isUnresponsive = false;
	#report: Report | undefined;
	#isDetached = false;
	#closeFault: UserError | undefined;

	/** `parse` gets each of the agent's reports once; it throws if one is malformed. */
	constructor(target: Target, {control, data}: AgentFiles, parse: (bytes: Uint8Array) => Report) {
		this.#target = target;
		this.#control = control;
		this.#data = data;
		this.#parse = parse;
		this.#heartbeat = setInterval(() => {
			control.beat();
		}, heartbeatMs);
		control.beat();
	}

	/** Returns the agent's newest report. Throws if the agent has ended other than by `close`. */
	read(): Report | undefined {
		this.#readNewest();
		if (this.#report?.phase === 'over') {
			throw new UserError('tprof-top was suspended; the agent detached itself', {hint: 'run it again'});
		}

		return this.#report;
	}

	/** Sends a command, of whole lines; resolves with the report that answers it. */
	async command(lines: string): Promise<Report> {
		if (Buffer.byteLength(lines) > maxCommandBytes) {
			throw new UserError(
				'the agent takes no more than 64 KB: these are too many patterns, or too large a probe',
				{exitCode: 2},
			);
		}

		const number = this.#send(lines);
		const report = await this.#answer(({command}) => command >= number, () => {
			this.read();
		});
		if (report) {
			return report;
		}

		if (!this.isAlive()) {
			throw new UserError(`JVM ${this.#target.pid} has ended`);
		}

		throw this.#silence();
	}

	/** Why `close` got an older report than the last; undefined if it got that, or the target has ended. */
	get closeFault(): UserError | undefined {
		return this.#closeFault;
	}

	isAlive(): boolean {
		return isAlive(this.#target);
	}

	/**
	Undoes all changes in the target; resolves with the last report, which has every call, or an older one, see
	`closeFault`. Never throws.
	*/
	async close(): Promise<Report | undefined> {
		if (!this.#isDetached) {
			try {
				this.#control.command('phase stop\n');
				// If there was no report yet, nothing is rewritten, and the agent ends without one.
				if (this.#report) {
					const last = await this.#answer(({phase}) => phase === 'over', () => {
						this.#readNewest();
					});
					if (!last && this.isAlive()) {
						this.#closeFault = this.#silence();
					}
				}
			} catch (error) {
				// The agent undoes its changes without an answer, too: it has ended, or will miss the heartbeat.
				this.#closeFault = error instanceof UserError ? error : undefined;
			}

			this.#detach();
		}

		return this.#report;
	}

	/** Returns the error for an agent that does not answer. */
	#silence(): UserError {
		const {pid} = this.#target;
		return new UserError(`the agent in JVM ${pid} does not answer`, {
			hint: hasRoom(this.#target)
				? 'the JVM may be very busy; the agent removes everything by itself once it can'
				: 'the JVM\'s heap is full; the agent removes everything by itself once there is room',
		});
	}

	#send(text: string): number {
		try {
			return this.#control.command(text);
		} catch (error) {
			const code = errorCode(error);
			throw new UserError(`cannot write to the /tmp of JVM ${this.#target.pid} (${code})`, {
				hint: isFull(code) ? fullHint : 'check that file system',
			});
		}
	}

	/**
	Calls `readNewest` until the newest report is the answer. Resolves to undefined if the JVM has ended or the agent
	times out; after a time-out, later calls do so at once.
	*/
	async #answer(isAnswer: (report: Report) => boolean, readNewest: () => void): Promise<Report | undefined> {
		const startMs = performance.now();
		let progress = progressOf(this.#data);
		let progressMs = startMs;
		while (this.isAlive() && !this.#isUnresponsive) {
			await sleep(pollMs);
			readNewest();
			if (this.#report && isAnswer(this.#report)) {
				return this.#report;
			}

			const nowMs = performance.now();
			const next = progressOf(this.#data);
			progressMs = next === progress ? progressMs : nowMs;
			progress = next;
			this.#isUnresponsive = nowMs - progressMs > silenceTimeoutMs || nowMs - startMs > answerTimeoutMs;
		}

		return undefined;
	}

	#readNewest(): void {
		const message = readAgent(this.#data, this.#newestReportNumber);
		if (message.state === 'ended') {
			throw exitError(this.#target, message.reason);
		}

		if (message.state === 'report') {
			try {
				this.#report = this.#parse(message.bytes);
			} catch {
				throw new UserError(`the reports of the agent in JVM ${this.#target.pid} cannot be read`, {
					hint: 'something in the target changes its files',
				});
			}

			this.#newestReportNumber = message.number;
		}
	}

	#detach(): void {
		if (!this.#isDetached) {
			this.#isDetached = true;
			clearInterval(this.#heartbeat);
			this.#control.close();
			closeSync(this.#data);
		}
	}
}

function exitError(target: Target, message: string): UserError {
	const [, fault, free, needed] = /^memory (low|filled) (-?\d+) (\d+)/.exec(message) ?? [];
	if (fault !== undefined) {
		return fault === 'low'
			? lowHeap(target, Number(free), Number(needed), {isLoaded: true})
			: filledHeap(target, Number(free), Number(needed));
	}

	const otherwise = hasRoom(target)
		? [undefined, `the agent gave up: ${message}`, 'what it had changed is as before'] as const
		: fullHeap;
	const [, reason, hint] = exitReasons.find(([pattern]) => pattern.test(message)) ?? otherwise;
	return new UserError(reason, {hint});
}

/** Whether the JVM's counters say nothing else. */
function hasRoom(target: Target): boolean {
	try {
		checkRoom(target);
		return true;
	} catch {
		return false;
	}
}

const fullHint = 'its disk is full: make room there';

function isFull(code: string | undefined): boolean {
	return code === 'ENOSPC' || code === 'EDQUOT';
}

type Loaded = {readonly ok: true} | {
	readonly ok: false;
	readonly reason: string;
	readonly hint: string;
	readonly load: LoadState;
};

/** The request to load the agent was answered, may still be executed, or will never be. */
type LoadState = 'answered' | 'pending' | 'never';

/** Results of Agent_OnAttach in the JDK's libinstrument (InvocationAdapter.c). */
const badJar = 100;
const failedStart = 102;

/** Makes the target load the agent from a folder, by its path as the target sees it. */
export async function loadAgent(
	client: AttachClient,
	target: Target,
	folder: string,
	timeoutMs: number,
): Promise<Loaded> {
	// The library, whether its path is absolute, and its options: the jar, and the folder for the agent.
	const reply = await client.request('load', ['instrument', 'false', `${folder}/agent.jar=${folder}`], {timeoutMs});
	if (reply.status === 'failed') {
		return {ok: false, reason: reply.reason, hint: reply.hint, load: reply.isPending ? 'pending' : 'never'};
	}

	if (reply.status !== 'ok') {
		return {ok: false, reason: reply.reason, hint: '', load: 'never'};
	}

	return loadResult(target.pid, reply.code, reply.bytes.toString('utf8', 0, 2000));
}

/** Interprets the JVM's answer to a load: `code` may be 0 after a failure, whose number is then in the text. */
export function loadResult(pid: number, code: number, text: string): Loaded {
	const failed = (reason: string, hint: string): Loaded => ({ok: false, load: 'answered', reason, hint});
	if (/dynamic agent loading is not enabled/i.test(text)) {
		return failed(
			`JVM ${pid} does not let agents be loaded (-XX:-EnableDynamicAgentLoading)`,
			'start it without that flag to trace it; sampling works as it is',
		);
	}

	// What a runtime without the module java.instrument says, and a JDK 8 without its library.
	if (/java\.instrument not found|agent library instrument/i.test(text)) {
		return failed(
			`JVM ${pid} runs on a runtime without java.instrument: no agent can be loaded`,
			'add that module to its runtime (jlink --add-modules java.instrument) to trace it; sampling works as it is',
		);
	}

	const result = Number(/^(?:return code: )?(-?\d+)\s*$/.exec(text.trim())?.[1]);
	if (code === 0 && result === 0) {
		return {ok: true};
	}

	if (result === badJar) {
		return failed(
			`JVM ${pid} cannot read the agent in its /tmp`,
			'its user must be able to read files in /tmp, and no security module may forbid it',
		);
	}

	return result === failedStart
		? failed(
			`the agent did not start in JVM ${pid}`,
			'its standard error says why; a security manager, for one, gives agents no rights',
		)
		: failed(
			`JVM ${pid} did not load the agent: ${printable(text.trim().split('\n')[0] ?? '') || `code ${code}`}`,
			'its standard error may say why',
		);
}
