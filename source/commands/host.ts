import process from 'node:process';
import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {UserError} from '../runtime/errors.js';
import type {ChooserState} from '../ui/state/reduce-chooser.js';
import {joined, safe, type Printable} from '../util/printable.js';
import {HostMonitor} from './host-monitor.js';
import {jvmList} from './jvm-table.js';
import {choose} from './live.js';
import {profileOrGoBack} from './profile-target.js';
import {HostRecorder} from './record-all.js';
import {resolveTarget} from './resolve-target.js';

/** Shows the table of this host's JVMs, and the sessions opened in it, until the user quits. Returns the exit code. */
export async function showHost(options: Options): Promise<number> {
	const monitor = new HostMonitor();
	const recording = new RecordingOfAll(options);
	/** The table as it was left, and the JVM that was opened in it. */
	const left: {table?: ChooserState; target?: Target} = {};
	try {
		for (;;) {
			const id = await choose(options, {
				list: () => jvmList(monitor.jvms(), recording.text),
				initial: left.table,
				waiting: safe`opening...`,
				record: async () => recording.toggle(monitor.jvms().length),
				async prepare(pid, table) {
					left.table = table;
					left.target = await resolveTarget(pid);
					return true;
				},
			});
			const {table, target} = left;
			if (id === undefined || !target || !table) {
				return 0;
			}

			monitor.setPaused(true);
			const result = await openSession(target, options, monitor);
			if (typeof result === 'number') {
				return result;
			}

			left.table = {...table, message: result};
			monitor.setPaused(false);
		}
	} finally {
		await monitor.close();
		await recording.close();
	}
}

/** The recording of all JVMs that the user begins and ends in the table. */
class RecordingOfAll {
	#recorder: HostRecorder | undefined;

	constructor(private readonly options: Options) {}

	/** Says what is being recorded; undefined if nothing is. */
	get text(): Printable | undefined {
		return this.#recorder?.text;
	}

	/** Begins or ends it; resolves to a message. `count`: the JVMs of now. */
	async toggle(count: number): Promise<Printable> {
		const recorder = this.#recorder;
		this.#recorder = recorder ? undefined : new HostRecorder(this.options, count);
		return recorder ? recorder.end() : safe`recording all JVMs; w ends it`;
	}

	/** Ends it, if it has begun, and prints what came of it. */
	async close(): Promise<void> {
		if (this.#recorder) {
			process.stdout.write(`${await this.#recorder.end()}\n`);
		}
	}
}

/** Shows a session until the user quits (the exit code) or goes back: what the table says then, maybe nothing. */
async function openSession(target: Target, options: Options, monitor: HostMonitor): Promise<number | Printable> {
	try {
		return await profileOrGoBack(target, options, {}, monitor.openerOf(target.pid)) ?? safe``;
	} catch (error) {
		if (!(error instanceof UserError)) {
			throw error;
		}

		return joined([error.message, error.hint].filter(Boolean), safe`; `);
	}
}
