import {
	makeArrays, namesOf, newArray, pick, units, type Arrays, type ColumnArray, type Columns,
} from './column-types.js';
import {
	attributedCpuColumns, rowColumns, threadNumbers, type SampledNumber,
} from './schema.js';

/** Bits of `Sample.flags`. */
export const threadFlag = Object.freeze({
	daemon: 1,
	/** A thread of the JVM itself (collector, VM thread): not a Java thread, and never with frames. */
	vmInternal: 2,
	/** A virtual thread, shown beside its carrier. */
	virtual: 4,
	/** A platform thread that carries a mounted virtual thread at this moment. */
	carrier: 8,
	/** Only part of the stack is certain: it was cut, changed while it was read, or not readable. */
	incomplete: 16,
	/** A JIT compiler thread: a Java thread for the JVM, without Java frames. */
	compiler: 32,
	/** Set by the table, not by engines: it has been where it is since before the first sample. */
	stoodBefore: 64,
});

/** Key and name of the row, and of the record, that stands for threads that have ended. */
export const endedThreadsKey = -(2 ** 31);
export const endedThreadsName = '(ended threads)';

/** The key of a record of virtual threads: this, or below it. */
export const virtualThreadsKey = -(2 ** 33);

/** Of threads of which neither id can be read. */
export const unknownThreadKey = endedThreadsKey - 1;
export const unknownThreadName = '(unknown thread)';

/** What a thread is held up by; codes of `Sample.lockKind`. */
export const lockKinds = ['none', 'monitor', 'monitor-wait', 'park', 'class-init'] as const;
export type LockKind = (typeof lockKinds)[number];
export const lockKindCode = Object.freeze({none: 0, monitor: 1, 'monitor-wait': 2, park: 3, 'class-init': 4}) satisfies Readonly<Record<LockKind, number>>;

const sampledNames = namesOf(threadNumbers).filter(name => 'sampled' in threadNumbers[name]) as readonly SampledNumber[];
const sampleColumns = {...pick(threadNumbers, sampledNames), ...rowColumns};
type SampleColumns = typeof sampleColumns;
const sampleNames = namesOf(sampleColumns);

/** How many rows, and frames, there is room for at first. */
const firstRows = 64;
const firstFrames = 4096;

/** The rows of a sample, by the schema. Those that are not in use hold each column's none. */
class SampleRows {
	/** Number of threads (rows in use). */
	count = 0;

	constructor() {
		grow(this, sampleColumns, firstRows);
	}
}

/** CPU time attributed to stacks in a sample, by the schema. */
class AttributedCpuRows {
	/** Number of rows in use, and how many of them, the first, an engine has recorded. */
	count = 0;
	recorded = 0;

	constructor() {
		grow(this, attributedCpuColumns, firstRows);
	}
}

/** CPU time at the stacks where it was used, beside where threads stand: no ticks belong to it. */
class AttributedCpu extends (AttributedCpuRows as new () => AttributedCpuRows & Arrays<typeof attributedCpuColumns>) {
	/** Appends a row whose frames begin there, and returns its index. */
	add(row: number, cpuNs: number, stackStart: number): number {
		if (this.count === this.row.length) {
			grow(this, attributedCpuColumns, this.count * 2);
		}

		this.row[this.count] = row;
		this.cpuNs[this.count] = cpuNs;
		this.records[this.count] = 1;
		this.stackStart[this.count] = stackStart;
		this.stackLength[this.count] = 0;
		return this.count++;
	}
}

/**
All threads at one moment, as a struct of arrays, reused for every sample. Row i is a thread with the frames from
`stackStart[i]` on, `stackLength[i]` of them, the innermost first.
*/
export class Sample extends (SampleRows as new () => SampleRows & Arrays<SampleColumns>) {
	/** Names of the threads, printable. */
	readonly name: string[] = [];
	/** Frames in use in `frames`. */
	frameCount = 0;
	frames = new Int32Array(firstFrames);
	/** The threads' CPU time at the stacks where it was used. */
	readonly attributedCpu = new AttributedCpu();
	/** The engine has no records: its threads' CPU time counts where they are observed running. */
	isObservation = false;
	/** Rows that may hold something, see `restart`. */
	#filled = 0;

	/** Empties the sample, keeping its memory. */
	clear(): void {
		const filled = Math.max(this.count, this.#filled);
		for (const name of sampleNames) {
			this[name].fill(units[sampleColumns[name].unit].none, 0, filled);
		}

		this.name.length = 0;
		this.count = 0;
		this.#filled = 0;
		this.frameCount = 0;
		this.attributedCpu.count = 0;
		this.attributedCpu.recorded = 0;
		this.isObservation = false;
	}

	/** Empties the sample, but lets every row and all frames stand until they are filled again. */
	restart(): void {
		this.#filled = Math.max(this.count, this.#filled);
		this.count = 0;
		this.attributedCpu.count = 0;
		this.attributedCpu.recorded = 0;
		this.isObservation = false;
	}

	/** Takes the next row as it was before `restart`, and says that it is the same; without CPU time. */
	keepThread(): number {
		const row = this.count++;
		this.cpuNs[row] = 0;
		this.runDelayNs[row] = 0;
		this.isObserved[row] = 0;
		this.isSame[row] = 1;
		return row;
	}

	/** Appends a thread in state RUNNABLE, with no frames and no lock, and returns its row. */
	addThread(key: number, nativeId: number, name: string): number {
		const row = this.count;
		if (row === this.key.length) {
			grow(this, sampleColumns, row * 2);
		}

		if (row < this.#filled) {
			for (const column of sampleNames) {
				this[column][row] = units[sampleColumns[column].unit].none;
			}
		}

		this.key[row] = key;
		this.nativeId[row] = nativeId;
		this.name[row] = name;
		this.stackStart[row] = this.frameCount;
		this.count = row + 1;
		return row;
	}

	/** Appends a frame below the ones already added to the thread that was added last, before CPU time is attributed to it. */
	addFrame(frame: number): void {
		this.#pushFrame(frame);
		this.stackLength[this.count - 1]++;
	}

	/** Appends CPU time of a row's thread with its frames, the innermost first. */
	addAttributedCpu(row: number, cpuNs: number, frames: Iterable<number> = []): void {
		this.attributedCpu.add(row, cpuNs, this.frameCount);
		for (const frame of frames) {
			this.#pushFrame(frame);
			this.attributedCpu.stackLength[this.attributedCpu.count - 1]++;
		}
	}

	#pushFrame(frame: number): void {
		if (this.frameCount === this.frames.length) {
			const frames = new Int32Array(this.frames.length * 2);
			frames.set(this.frames);
			this.frames = frames;
		}

		this.frames[this.frameCount++] = frame;
	}
}

/** Gives an object longer arrays, one for each column. Rows that it has stay; the others hold the column's none. */
function grow(rows: object, columns: Columns, length: number): void {
	const before = rows as Readonly<Partial<Record<string, ColumnArray>>>;
	Object.assign(rows, makeArrays(columns, namesOf(columns), (column, name) => {
		const grown = newArray(column, length).fill(units[column.unit].none);
		grown.set(before[name] ?? []);
		return grown;
	}));
}
