import {safe, type Printable} from '../util/printable.js';
import {
	makeArrays, namesOf, newArray, pick, units, type Arrays, type ColumnArray, type Columns,
} from './column-types.js';
import {attributedCpuColumns, rowColumns, sampledEventColumns, threadNumbers, type SampledNumber} from './schema.js';

/** Bits of `Sample.flags`. */
export const threadFlag = Object.freeze({
	daemon: 1,
	/** Not a Java thread, so without Java frames: the JVM's own (collector, VM thread) or a native library's. */
	vmInternal: 2,
	/** A virtual thread, shown beside its carrier. */
	virtual: 4,
	/** A platform thread that carries a mounted virtual thread now. */
	carrier: 8,
	/** Only part of the stack is certain: it was truncated, changed during reading, or was unreadable. */
	incomplete: 16,
	/** A JIT compiler thread: a Java thread to the JVM, but without Java frames. */
	compiler: 32,
	/**
	Stack and state are the same since the first sample. Engines set it only in rows of unmounted virtual threads.
	*/
	unmovedSinceStart: 64,
	/** In the table: the name has changed since the session's start. */
	renamed: 128,
});

/**
Key and name of the row that sums up ended threads, in the table as in a sample. The JVM's threads have greater keys.
*/
export const endedThreadsKey = -(2 ** 31);
export const endedThreadsName = safe`(ended threads)`;

/** Keys of rows of virtual threads are at most this. */
export const virtualThreadsKey = -(2 ** 33);

/** Key and name of threads whose Java id and native id cannot be read. */
export const unknownThreadKey = endedThreadsKey - 1;
export const unknownThreadName = safe`(unknown thread)`;

/** Kinds of locks that block threads; the index is the code in `Sample.lockKind`. */
export const lockKinds = ['none', 'monitor', 'monitor-wait', 'park', 'class-init'] as const;
export type LockKind = (typeof lockKinds)[number];
export const lockKindCode = Object.freeze({
	none: 0,
	monitor: 1,
	'monitor-wait': 2,
	park: 3,
	'class-init': 4,
}) satisfies Readonly<Record<LockKind, number>>;

const sampledNames = namesOf(threadNumbers).filter(name =>
	'sampled' in threadNumbers[name]) as readonly SampledNumber[];
const sampleColumns = {...pick(threadNumbers, sampledNames), ...rowColumns};
const sampleNames = namesOf(sampleColumns);

const initialRows = 64;
const initialFrames = 4096;

/** Returns a class of rows, with an array for each column. */
function rowsOf<C extends Columns>(columns: C) {
	return class {
		count = 0;

		constructor() {
			grow(this, columns, initialRows);
		}
	} as new () => {count: number} & Arrays<C>;
}

/** CPU time by the stacks that used it, which may differ from the threads' current ones. It adds no ticks. */
class AttributedCpu extends rowsOf(attributedCpuColumns) {
	/** Number of rows, from the first on, that are samples recorded by the engine; the others are estimated. */
	recordedCount = 0;

	/** Appends a row for the thread in `row`, whose frames begin at `stackStart`, and returns its index. */
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

/** Events since the previous sample. */
class SampledEvents extends rowsOf(sampledEventColumns) {
	/** Appends an event of the thread in `row`, whose frames begin at `stackStart`, and returns its index. */
	add(row: number, event: Pick<SampledEvent, 'kind' | 'amount' | 'squares'>, stackStart: number): number {
		if (this.count === this.row.length) {
			grow(this, sampledEventColumns, this.count * 2);
		}

		this.row[this.count] = row;
		this.kind[this.count] = event.kind;
		this.amount[this.count] = event.amount;
		this.squares[this.count] = event.squares;
		this.stackStart[this.count] = stackStart;
		this.stackLength[this.count] = 0;
		return this.count++;
	}
}

/** See `eventColumns`. `kind`: its code. */
type SampledEvent = {readonly kind: number; readonly amount: number; readonly squares: number};

/**
All threads at one moment, as a struct of arrays, reused for every sample. Row i is a thread; its frames, innermost
first, are the `stackLength[i]` entries of `frames` from `stackStart[i]` on.
*/
export class Sample extends rowsOf(sampleColumns) {
	readonly name: Printable[] = [];
	frameCount = 0;
	frames = new Int32Array(initialFrames);
	readonly attributedCpu = new AttributedCpu();
	readonly events = new SampledEvents();
	/** The engine records no CPU samples: CPU time is attributed to the stacks where threads are observed running. */
	isObservation = false;
	/** Number of rows that may hold values of earlier samples, see `restart`. */
	#staleRows = 0;

	/** Empties the sample, keeping its memory. */
	clear(): void {
		this.restart();
		for (const name of sampleNames) {
			this[name].fill(units[sampleColumns[name].unit].none, 0, this.#staleRows);
		}

		this.name.length = 0;
		this.#staleRows = 0;
		this.frameCount = 0;
	}

	/** Begins the next sample, which may keep rows of this one (`keepThread`). Only `clear` removes the frames. */
	restart(): void {
		this.#staleRows = Math.max(this.count, this.#staleRows);
		this.count = 0;
		this.attributedCpu.count = 0;
		this.attributedCpu.recordedCount = 0;
		this.events.count = 0;
		this.isObservation = false;
	}

	/** Appends a thread that is the same as in this row before `restart`, without CPU time; returns its row. */
	keepThread(): number {
		const row = this.count++;
		this.cpuNs[row] = 0;
		this.runDelayNs[row] = 0;
		this.isObserved[row] = 0;
		this.isSame[row] = 1;
		return row;
	}

	/** Appends a thread in state RUNNABLE, with no frames and no lock, and returns its row. */
	addThread(key: number, nativeId: number, name: Printable): number {
		const row = this.count;
		if (row === this.key.length) {
			grow(this, sampleColumns, row * 2);
		}

		if (row < this.#staleRows) {
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

	/** Appends a frame, innermost first, to the thread added last, before CPU time is attributed to that thread. */
	addFrame(frame: number): void {
		this.addFrames([frame]);
	}

	/** Appends frames to the last thread's stack, innermost first. */
	addFrames(frames: ArrayLike<number>): void {
		this.#append(frames);
		this.stackLength[this.count - 1] += frames.length;
	}

	/** Appends CPU time that the thread in `row` used at a stack, given in parts, innermost first. */
	addAttributedCpu(row: number, cpuNs: number, ...parts: ReadonlyArray<ArrayLike<number>>): void {
		this.attributedCpu.add(row, cpuNs, this.frameCount);
		for (const frames of parts) {
			this.#append(frames);
			this.attributedCpu.stackLength[this.attributedCpu.count - 1] += frames.length;
		}
	}

	/** Appends an event of the thread in `row` at a stack, innermost frame first. */
	addEvent(row: number, event: SampledEvent, frames: ArrayLike<number>): void {
		const index = this.events.add(row, event, this.frameCount);
		this.#append(frames);
		this.events.stackLength[index] = frames.length;
	}

	#append(frames: ArrayLike<number>): void {
		const count = this.frameCount + frames.length;
		if (count > this.frames.length) {
			const longer = new Int32Array(count * 2);
			longer.set(this.frames);
			this.frames = longer;
		}

		this.frames.set(frames, this.frameCount);
		this.frameCount = count;
	}
}

/** Adds an array for each column to an object, or lengthens those it has. New rows hold the column's `none`. */
function grow(rows: object, columns: Columns, length: number): void {
	const before = rows as Readonly<Partial<Record<string, ColumnArray>>>;
	Object.assign(rows, makeArrays(columns, namesOf(columns), (column, name) => {
		const grown = newArray(column, length).fill(units[column.unit].none);
		grown.set(before[name] ?? []);
		return grown;
	}));
}
