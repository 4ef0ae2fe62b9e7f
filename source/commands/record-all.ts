import {Recorder} from '../exports/recording/recorder.js';
import type {Target} from '../jvm/target.js';
import {isOver} from '../model/source.js';
import type {Options} from '../options/parse.js';
import {plural} from '../query/columns/format.js';
import {printable, safe, type Printable} from '../util/printable.js';
import {failureOf} from './batch.js';
import {eachJvm, type JvmSampler} from './each-jvm.js';
import {eachWindow} from './record.js';
import {sampled, Windows} from './sampled.js';
import {recordingName} from './save.js';

/** The part of --max-cpu that a JVM gets at least, percent of a core. */
const leastCpuPercent = 0.5;

/** Records all JVMs of this host, each to a file of its own, those that start later too, until `end`. */
export class HostRecorder implements JvmSampler {
	problem: string | undefined;
	omissionNote: string | undefined;
	readonly #abort = new AbortController();
	readonly #options: Options;
	readonly #recorders = new Set<Recorder>();
	/** Files that are complete. */
	readonly #files: Printable[] = [];
	readonly #done: Promise<void>;

	/** `count`: the JVMs of now, which share --max-cpu. */
	constructor(options: Options, count: number) {
		const {maxCpuPercent = 100} = options;
		this.#options = {...options, maxCpuPercent: Math.max(leastCpuPercent, maxCpuPercent / Math.max(1, count))};
		this.#done = eachJvm(options, this);
	}

	get stop(): AbortSignal {
		return this.#abort.signal;
	}

	/** Records a JVM until it ends or `end` is called. Throws UserError if it cannot be sampled. */
	async sample(target: Target): Promise<void> {
		const {snapshotDir, maxBytes} = this.#options;
		const recorder = await Recorder.create(recordingName(target.pid, snapshotDir), maxBytes);
		this.#recorders.add(recorder);
		try {
			await sampled(target, this.#options, async source => {
				const windows = new Windows(source, target);
				try {
					await eachWindow(() => isOver(source.status()), undefined, this.stop, async isLast => {
						// Not awaited, as a recording of one JVM does not either.
						void recorder.follow(windows.follow(isLast), 0);
					});
				} finally {
					windows.close();
				}

				if (source.status().phase === 'failed') {
					throw failureOf(source.status());
				}
			});
		} finally {
			await recorder.finish();
			this.#recorders.delete(recorder);
			this.problem = recorder.problem === undefined ? this.problem : `${recorder.name}: ${recorder.problem}`;
			this.#files.push(...(recorder.windows > 0 ? [recorder.name] : []));
		}
	}

	/** Says what is being recorded, or what went wrong. */
	get text(): Printable {
		const problem = this.problem ?? this.omissionNote;
		const recorded = safe`recording ${plural(this.#recorders.size, safe`JVM`)}; w ends it`;
		return problem === undefined ? recorded : safe`${recorded} (${printable(problem)})`;
	}

	/** Ends all recordings; resolves to what came of them. */
	async end(): Promise<Printable> {
		this.#abort.abort();
		await this.#done;
		const [first] = this.#files;
		const files = first === undefined
			? safe`nothing was recorded`
			: safe`recorded ${plural(this.#files.length, safe`file`)}; tprof-top open ${first} shows the first`;
		return this.problem === undefined ? files : safe`${files} (${printable(this.problem)})`;
	}
}
