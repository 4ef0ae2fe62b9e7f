import {safe, type Printable} from '../../source/util/printable.js';
import {fromNames, namesOf, select} from '../../source/model/column-types.js';
import {Sample, threadFlag} from '../../source/model/sample.js';
import {readerFigures, sessionFigures} from '../../source/model/schema.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCount} from '../../source/model/thread-state.js';
import {
	createTable,
	defaultShape,
	tableHeader,
	type SamplerFigures,
	type TableShape,
} from '../../source/table/table-layout.js';
import {TableReader} from '../../source/table/table-reader.js';
import {TableWriter} from '../../source/table/writer.js';
import {pick, seeded} from '../helpers/random.js';

const figures: ReadonlyArray<keyof SamplerFigures> = [
	...select(sessionFigures, {by: 'sampler'}),
	...namesOf(readerFigures),
];
export const zeroFigures: SamplerFigures = Object.freeze({
	...fromNames(figures, () => 0),
	requestedIntervalMs: 100,
	intervalMs: 100,
	startedAtMs: 1000,
});

/** A thread as a test draws it: frames are "Class.method" from the innermost out. */
export type DrawnThread = {
	key: number;
	name?: Printable;
	state?: number;
	cpuNs?: number;
	frames?: string[];
	isIncomplete?: boolean;
	lock?: {kind: number; className: string; owner: number; ownerFrame?: string};
	carrier?: number;
	/** CPU time at other stacks. */
	attributedCpu?: Array<{cpuNs: number; frames: string[]}>;
	allocated?: Array<{bytes: number; frames: string[]}>;
};

/** The name of a thread in a sample: another one in each. */
export function renamed(key: number, atMs: number): Printable {
	return safe`request ${atMs} of customer ${key} ${safe`é`.repeat(atMs % 40)}`;
}

/** Fills a sample with drawn threads. */
export function drawInto(sample: Sample, threads: readonly DrawnThread[], writer: TableWriter): Sample {
	const frame = (text: string) => {
		const [className, method] = text.split('.');
		return writer.internFrame(
			writer.internString(className),
			writer.internString(method),
			writer.internString(`${className}.java`),
			1,
		);
	};

	sample.clear();
	for (const thread of threads) {
		const row = sample.addThread(thread.key, thread.key + 1000, thread.name ?? safe`t${thread.key}`);
		sample.state[row] = thread.state ?? 1;
		sample.cpuNs[row] = thread.cpuNs ?? 0;
		sample.flags[row] = thread.isIncomplete ? threadFlag.incomplete : 0;
		sample.carrier[row] = thread.carrier ?? -1;
		for (const text of thread.frames ?? []) {
			sample.addFrame(frame(text));
		}

		for (const attributedCpu of thread.attributedCpu ?? []) {
			sample.addAttributedCpu(row, attributedCpu.cpuNs, attributedCpu.frames.map(text => frame(text)));
		}

		for (const {bytes, frames} of thread.allocated ?? []) {
			sample.addEvent(row, {kind: 0, amount: bytes, squares: 1}, frames.map(text => frame(text)));
		}

		if (thread.lock) {
			sample.lockKind[row] = thread.lock.kind;
			sample.lockClass[row] = writer.internString(thread.lock.className);
			sample.lockOwner[row] = thread.lock.owner;
			sample.lockOwnerFrame[row] = thread.lock.ownerFrame ? frame(thread.lock.ownerFrame) : 0;
		}
	}

	sample.attributedCpu.recordedCount = sample.attributedCpu.count;
	for (const [row, {cpuNs = 0, frames = []}] of threads.entries()) {
		if (cpuNs > 0) {
			sample.addAttributedCpu(row, cpuNs, frames.map(text => frame(text)));
		}
	}

	return sample;
}

/** Random samples; threads come and go, stand still or move, wait for one another, change their names. */
export function randomSamples(
	seed: number,
	options: {samples: number; threads: number; methods: number; depth: number},
): DrawnThread[][] {
	const random = seeded(seed);
	const stood = new Map<number, string[]>();
	return Array.from({length: options.samples}, () => {
		const rows: DrawnThread[] = [];
		for (let key = 1; key <= options.threads; key++) {
			if (random() < 0.2) {
				continue;
			}

			const depth = pick(random, options.depth + 1);
			const frames = random() < 0.4 ? stood.get(key) : undefined;
			rows.push({
				key: random() < 0.1 ? -key : key,
				name: random() < 0.05 ? safe`renamed ${key} ${pick(random, 50)} \u{1F600} é` : safe`t${key}`,
				state: pick(random, stateCount),
				cpuNs: random() < 0.5 ? 0 : pick(random, 1_000_000),
				frames: frames
					?? Array.from({length: depth}, () => `C${pick(random, 5)}.m${pick(random, options.methods)}`),
				isIncomplete: random() < 0.1,
				attributedCpu: Array.from({length: random() < 0.2 ? pick(random, 4) : 0}, () => ({
					cpuNs: pick(random, 1_000_000),
					frames: Array.from(
						{length: pick(random, options.depth + 1)},
						() => `C${pick(random, 5)}.m${pick(random, options.methods)}`,
					),
				})),
			});
			stood.set(key, rows.at(-1)!.frames!);
			if (key % 3 === 0) {
				const at = rows.at(-1)!.attributedCpu!.map(({cpuNs, frames}) => ({bytes: cpuNs - 1000, frames}));
				rows.at(-1)!.allocated = [...at, ...at.slice(0, 1)];
			}
		}

		for (const row of rows) {
			if (random() < 0.3) {
				const owner = pick(random, rows.length + 1) - 1;
				row.lock = {
					kind: 1 + pick(random, 4),
					className: `L${pick(random, 3)}`,
					owner,
					...(owner >= 0 && random() < 0.5 ? {ownerFrame: `C${pick(random, 5)}.locks`} : {}),
				};
			}
		}

		return rows;
	});
}

/** A table, its writer and reader, and a sample; `count` has drawn threads counted. */
export function newTable(shape: TableShape = defaultShape) {
	const buffer = createTable(shape);
	const [writer, reader, sample] = [new TableWriter(buffer), new TableReader(buffer), new Sample()];
	const count = (
		threads: readonly DrawnThread[],
		atMs = 1,
		...more: [accepts?: (name: string) => boolean, ticks?: {before: number; now: number}]
	) => writer.count(drawInto(sample, threads, writer), atMs, zeroFigures, ...more);
	return {words: tableHeader(buffer), writer, reader, sample, count, read: () => reader.read(0)!};
}

/** What a table says now, as a snapshot of a session. */
export function snapshotOf(reader: TableReader): Snapshot {
	const {figures, ...image} = reader.read(1000)!;
	const empty = new SnapshotBuilder().build();
	return {...empty, ...image, session: {...empty.session, ...figures}};
}
