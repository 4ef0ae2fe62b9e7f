import path from 'node:path';
import {nameOf, Recorder} from '../exports/recording/recorder.js';
import {sourceOver, type SnapshotSource} from '../model/source.js';
import type {Options} from '../options/parse.js';
import type {Ring} from '../query/past/ring.js';
import {version} from '../runtime/bundle.js';
import type {RecordingToggle} from '../ui/app.js';
import {maxBytesOf} from './record.js';
import {snapshotStem} from './save.js';

/** Records the session on the screen when the user asks for it. */
export class LiveRecorder implements RecordingToggle {
	/** The source; its status names the recording and its problem. */
	readonly source: SnapshotSource;
	readonly #inner: SnapshotSource;
	readonly #options: Options;
	#recorder: Recorder | undefined;

	constructor(inner: SnapshotSource, options: Options) {
		this.#inner = inner;
		this.#options = options;
		this.source = sourceOver(inner, {status: () => this.#status()});
	}

	/** Begins to record to a file, if one is named. Throws UserError. */
	async begin(file: string | undefined): Promise<void> {
		this.#recorder = file === undefined ? undefined : await Recorder.create(file, {version, maxBytes: maxBytesOf(this.#options)});
	}

	async toggle(ring: Ring): Promise<string> {
		const recorder = this.#recorder;
		if (recorder) {
			await this.end();
			return recorder.problem === undefined ? `recorded ${nameOf(recorder)}; tprof-top open shows it` : `${nameOf(recorder)}: ${recorder.problem}`;
		}

		await this.begin(path.resolve(this.#options.snapshotDir ?? '.', `${snapshotStem(ring.newest?.target.pid ?? 0, Date.now())}.tprof`));
		await this.#recorder!.follow(ring);
		return `recording to ${nameOf(this.#recorder!)}; w ends it`;
	}

	follow(ring: Ring): void {
		void this.#recorder?.follow(ring);
	}

	async end(): Promise<void> {
		const recorder = this.#recorder;
		this.#recorder = undefined;
		await recorder?.finish();
	}

	#status() {
		const status = this.#inner.status();
		if (!this.#recorder) {
			return status;
		}

		const {problem} = this.#recorder;
		return {...status, recordedTo: nameOf(this.#recorder), ...(problem === undefined ? {} : {message: `not recorded: ${problem}`})};
	}
}
