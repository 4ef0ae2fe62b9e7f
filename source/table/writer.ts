import type {Interner} from '../model/frame.js';
import {lockKindCode, threadFlag, type Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';
import {DictionaryWriter} from './dictionary.js';
import {CounterWriter, ContentionWriter, EventWriter} from './counter-writer.js';
import {Moves, SampleFigures, type Counts} from './figures.js';
import {countWord, figureNames, word, type Figures, type SamplerFigures} from './table-layout.js';
import {acquireLock, releaseLock} from './lock.js';
import {ThreadWriter} from './thread-writer.js';
import {TableViews} from './views.js';

/** The reader copies some megabytes under the lock, which takes far less: after this time it is stuck. */
const lockWaitMs = 1000;

/**
The ticks since the previous sample: first `before` ticks, which count for the previous sample again, then `now` ticks
for the new sample. `samples`: number of samples that all these ticks count as, by default one per tick.
*/
type SampleCounts = {readonly before: number; readonly now: number; readonly samples?: number};

const once: SampleCounts = Object.freeze({before: 0, now: 1});

/**
Counts samples into the shared table. Each table has one writer, in the sampler's worker. It appends names, stacks and
new counters without the lock, and publishes a sample's increments and the new counts in one short critical section, so
that a reader sees a sample whole or not at all.
*/
export class TableWriter implements Interner {
	readonly #views: TableViews;
	readonly #dictionary: DictionaryWriter;
	readonly #threads: ThreadWriter;
	readonly #counters: CounterWriter;
	readonly #contention: ContentionWriter;
	readonly #events: EventWriter;
	/**
	By row of the sample: its thread, stack, counter and contention in the table (-1 for none), and its number of
	threads.
	*/
	#threadOf = new Int32Array(256);
	#nodeOf = new Int32Array(256);
	#counterOf = new Int32Array(256);
	#contentionOf = new Int32Array(256);
	#membersOf = new Float64Array(256);
	/** By row of attributed CPU time: its counter; -1 for none. */
	#attributedCpuOf = new Int32Array(64);
	/** By event: its row in the table; -1 for none. */
	#eventRowOf = new Int32Array(64);
	#changedRows = new Int32Array(256);
	#changedCount = 0;
	/** Number of rows of the previous sample that these arrays still have; 0 if it was not counted. */
	#reusableRows = 0;
	readonly #figures = new SampleFigures();
	readonly #moves = new Moves();

	/** `buffer`: an empty table, see `createTable`. */
	constructor(buffer: SharedArrayBuffer) {
		this.#views = new TableViews(buffer);
		this.#dictionary = new DictionaryWriter(this.#views);
		this.#threads = new ThreadWriter(this.#views);
		this.#contention = new ContentionWriter(this.#views);
		this.#events = new EventWriter(this.#views);
		this.#counters = new CounterWriter(this.#views, this.#dictionary, this.#threads);
	}

	internString(text: string): number {
		return this.#dictionary.internString(text);
	}

	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		return this.#dictionary.internFrame(classId, methodId, fileId, line);
	}

	/**
	Counts every thread of a sample, or those whose name is accepted, and publishes them with the figures. `atMs`: epoch
	milliseconds of the sample. A thread that is not accepted but blocks one that is accepted gets a row in the table
	with its name and stack, and is not counted. CPU time counts once, independent of `counts`. Returns false, with
	nothing counted, if the lock was not free in time.
	*/
	count(
		sample: Sample,
		atMs: number,
		figures: SamplerFigures,
		accepts?: (name: string) => boolean,
		counts: SampleCounts = once,
	): boolean {
		const length = this.#reusableRows;
		const {before, now} = length > 0 ? counts : {before: 0, now: counts.before + counts.now};
		const {samples = before + now} = counts;
		const previous = before > 0
			? {
				counters: this.#counterOf.slice(0, length),
				contention: this.#contentionOf.slice(0, length),
				members: this.#membersOf.slice(0, length),
			}
			: undefined;
		this.#findTableRows(sample, accepts);
		// 0 if `#findTableRows` had to replace the arrays.
		const reusedRows = this.#reusableRows;
		this.#reusableRows = 0;
		return this.#locked(() => {
			if (previous) {
				this.#addTicks(previous, before);
				this.#figures.count({samples: Math.min(before, samples), ticks: before});
			}

			this.#apply(sample, atMs, reusedRows, {samples: Math.max(0, samples - before), ticks: now});
			this.#freeEnded();
			this.#publish(figures);
			this.#reusableRows = sample.count;
		});
	}

	/**
	Publishes only the figures, for example after a failed sample. Returns false if the lock was not free in time.
	*/
	publish(figures: SamplerFigures): boolean {
		return this.#locked(() => {
			this.#publish(figures);
		});
	}

	/** Runs `action` under the lock. Returns false, without running it, if the lock was not free in time. */
	#locked(action: () => void): boolean {
		if (!acquireLock(this.#views.words, lockWaitMs)) {
			return false;
		}

		try {
			action();
		} finally {
			releaseLock(this.#views.words);
		}

		return true;
	}

	/** Frees rows of ended threads if many, or if room is short; one takes over their sums. The lock is held. */
	#freeEnded(): void {
		const [counters, contention, events] = [this.#counters.rows, this.#contention.rows, this.#events.rows];
		const {shape} = this.#views;
		const isHalfFull = counters.used > shape.counters * shape.maxSlabs / 2
			|| contention.used > shape.contention * shape.maxSlabs / 2
			|| events.used > shape.events * shape.maxSlabs / 2;
		const ended = this.#threads.freeEnded({isShort: isHalfFull});
		if (!ended) {
			return;
		}

		counters.replaceThreads(ended.isFreed, ended.into, ['thread']);
		contention.replaceThreads(ended.isFreed, ended.into, ['thread', 'owner']);
		events.replaceThreads(ended.isFreed, ended.into, ['thread']);
		this.#views.words[word.reused]++;
	}

	/** Adds this many ticks to the counters and the contention of rows. The lock is held. */
	#addTicks(
		{counters, contention, members}: {
			readonly counters: Int32Array;
			readonly contention: Int32Array;
			readonly members: Float64Array;
		},
		ticks: number,
	): void {
		const {length} = counters;
		for (let row = 0; row < length; row++) {
			if (counters[row] >= 0) {
				this.#counters.addTicks(counters[row], ticks * members[row]);
				if (contention[row] >= 0) {
					this.#contention.addTicks(contention[row], ticks * members[row]);
				}
			}
		}
	}

	/** Finds or adds the thread, stack, counter and contention of every row of a sample, without the lock. */
	#findTableRows(sample: Sample, accepts?: (name: string) => boolean): void {
		const {count} = sample;
		if (count > this.#threadOf.length) {
			const size = count * 2;
			this.#threadOf = new Int32Array(size);
			this.#nodeOf = new Int32Array(size);
			this.#counterOf = new Int32Array(size);
			this.#contentionOf = new Int32Array(size);
			this.#membersOf = new Float64Array(size);
			this.#changedRows = new Int32Array(size);
			this.#reusableRows = 0;
		}

		this.#changedCount = 0;
		for (let row = 0; row < count; row++) {
			if (this.#isUnchanged(sample, row)) {
				continue;
			}

			this.#changedRows[this.#changedCount++] = row;
			this.#counterOf[row] = -1;
			this.#contentionOf[row] = -1;
			this.#threadOf[row] = -1;
			this.#membersOf[row] = Math.max(1, sample.members[row]);
			if (!accepts || accepts(sample.name[row])) {
				this.#findThread(sample, row);
				this.#counterOf[row] = this.#counters.findOrAdd(
					this.#threadOf[row],
					this.#nodeOf[row],
					sample.state[row],
				);
			}
		}

		for (let row = 0; row < count; row++) {
			if (this.#counterOf[row] < 0 || sample.lockKind[row] === lockKindCode.none) {
				continue;
			}

			const owner = sample.lockOwner[row];
			if (owner < 0 && this.#contentionOf[row] < 0 && this.#isUnchanged(sample, row)) {
				// Still no owner, and so no contention.
				continue;
			}

			if (owner >= 0 && this.#threadOf[owner] < 0) {
				this.#findThread(sample, owner);
			}

			this.#contentionOf[row] = this.#findContention(sample, row);
		}

		this.#findAttributedCpu(sample);
		this.#findEvents(sample);
	}

	/** Whether a row keeps the thread, stack and counter that it had in the previous sample. */
	#isUnchanged(sample: Sample, row: number): boolean {
		return sample.isSame[row] === 1 && row < this.#reusableRows;
	}

	/** Finds the counters of attributed CPU time: in state RUNNABLE, which need not be the thread's current state. */
	#findAttributedCpu(sample: Sample): void {
		const {attributedCpu} = sample;
		if (attributedCpu.count > this.#attributedCpuOf.length) {
			this.#attributedCpuOf = new Int32Array(attributedCpu.count * 2);
		}

		for (let index = 0; index < attributedCpu.count; index++) {
			const row = attributedCpu.row[index];
			const node = this.#counterOf[row] < 0
				? -1
				: this.#dictionary.internStack(
					sample.frames,
					attributedCpu.stackStart[index],
					attributedCpu.stackLength[index],
					this.#nodeOf[row],
				);
			this.#attributedCpuOf[index] = node < 0
				? -1
				: this.#counters.findOrAdd(this.#threadOf[row], node, stateCode.RUNNABLE);
		}
	}

	#findEvents({events, frames}: Sample): void {
		if (events.count > this.#eventRowOf.length) {
			this.#eventRowOf = new Int32Array(events.count * 2);
		}

		for (let index = 0; index < events.count; index++) {
			const row = events.row[index];
			this.#eventRowOf[index] = this.#counterOf[row] < 0
				? -1
				: this.#events.findOrAdd(
					this.#threadOf[row],
					this.#dictionary.internStack(frames, events.stackStart[index], events.stackLength[index]),
					events.kind[index],
					() => this.#threads.threadOfOther(),
				);
		}
	}

	#findThread(sample: Sample, row: number): void {
		this.#threadOf[row] = this.#threads.threadOf(sample.key[row]);
		const nodeBefore = this.#views.regions.threads.node.get(this.#threadOf[row]);
		this.#nodeOf[row] = this.#dictionary.internStack(
			sample.frames,
			sample.stackStart[row],
			sample.stackLength[row],
			nodeBefore,
		);
	}

	/** Returns the contention of a row that waits for a lock; -1 if it parks or waits and no owner is known. */
	#findContention(sample: Sample, row: number): number {
		const owner = sample.lockOwner[row];
		const kind = sample.lockKind[row];
		if (owner < 0 && kind !== lockKindCode.monitor && kind !== lockKindCode['class-init']) {
			return -1;
		}

		const {key, keyAt} = this.#contention.rows;
		key[keyAt.thread] = this.#threadOf[row];
		key[keyAt.node] = this.#nodeOf[row];
		key[keyAt.lockKind] = kind;
		key[keyAt.lockClass] = sample.lockClass[row];
		key[keyAt.owner] = this.#threadOfRow(owner);
		key[keyAt.ownerNode] = owner < 0 ? 0 : this.#nodeOf[owner];
		key[keyAt.ownerFrame] = sample.lockOwnerFrame[row];
		return this.#contention.findOrAdd(() => this.#threads.threadOfOther());
	}

	/** Adds a sample to counters and threads. `reusedRows`: see `#reusableRows`. The lock is held. */
	#apply(sample: Sample, atMs: number, reusedRows: number, counts: Counts): void {
		const threads = this.#threads;
		const hasReusedSlots = [this.#counters, this.#contention, this.#events].map(({rows}) => rows.flush())
			.includes(true);
		if (hasReusedSlots) {
			this.#views.words[word.reused]++;
		}

		this.#figures.begin(atMs);
		threads.beginSample(atMs);
		for (let row = 0; row < sample.count; row++) {
			const thread = this.#threadOf[row];
			const counter = this.#counterOf[row];
			if (thread < 0) {
				continue;
			}

			if (sample.isSame[row] === 1 && row < reusedRows) {
				threads.keep(thread);
			} else {
				const nodeBefore = threads.write(
					thread,
					sample,
					row,
					this.#nodeOf[row],
					this.#threadOfRow(sample.lockOwner[row]),
					counter >= 0,
				);
				if (nodeBefore >= 0 && counter >= 0) {
					this.#moves.add(this.#dictionary.frameOf(nodeBefore), this.#dictionary.frameOf(this.#nodeOf[row]));
				}
			}

			if (counter >= 0) {
				this.#figures.addRow(
					this.#membersOf[row],
					(sample.flags[row] & threadFlag.incomplete) !== 0,
					this.#counters.isOther(counter),
				);
			}
		}

		this.#addTicks({
			counters: this.#counterOf.subarray(0, sample.count),
			contention: this.#contentionOf,
			members: this.#membersOf,
		}, counts.ticks);
		this.#figures.count(counts);
		this.#moves.end(this.#figures.sums);
		const {attributedCpu} = sample;
		for (let index = 0; index < attributedCpu.count; index++) {
			const counter = this.#attributedCpuOf[index];
			if (counter >= 0) {
				this.#counters.addCpu(counter, attributedCpu.cpuNs[index], attributedCpu.records[index]);
			}
		}

		this.#addEvents(sample);
		if (counts.ticks > 1) {
			this.#spreadTicks(sample, counts.ticks);
		}

		threads.endSample(sample, this.#threadOf, this.#counterOf, this.#changedRows.subarray(0, this.#changedCount));
	}

	/** The lock is held. */
	#addEvents({events}: Sample): void {
		for (let index = 0; index < events.count; index++) {
			if (this.#eventRowOf[index] >= 0) {
				this.#events.add(this.#eventRowOf[index], events.amount[index], events.squares[index]);
			}
		}
	}

	/**
	Spreads the ticks of a sample that counts for several. A running thread has moved since the previous sample, so all
	its ticks but the last move to the stacks of its recorded samples, in their order. Skips threads without a stack.
	The lock is held.
	*/
	#spreadTicks({attributedCpu, state, stackLength}: Sample, ticks: number): void {
		for (let first = 0, end = 0; first < attributedCpu.recordedCount; first = end) {
			const row = attributedCpu.row[first];
			while (end < attributedCpu.recordedCount && attributedCpu.row[end] === row) {
				end++;
			}

			if (this.#counterOf[row] >= 0 && state[row] === stateCode.RUNNABLE && stackLength[row] > 0) {
				this.#spread(this.#counterOf[row], first, end, ticks);
			}
		}
	}

	/**
	Moves all ticks of a thread but the last, each to one of the thread's recorded samples (`first` to below `end`): the
	one at the middle of the tick, if recorded samples are evenly spaced.
	*/
	#spread(counter: number, first: number, end: number, ticks: number): void {
		for (let tick = 1, ticksLeft = ticks; tick < ticks; tick++) {
			const middle = tick - 0.5;
			const to = this.#attributedCpuOf[first + Math.floor(middle * (end - first) / ticks)];
			if (to >= 0) {
				this.#counters.moveTick(counter, to, ticksLeft--);
			}
		}
	}

	#threadOfRow(row: number): number {
		return row < 0 ? -1 : this.#threadOf[row];
	}

	/** Writes figures and counts. The lock is held. */
	#publish(samplerFigures: SamplerFigures): void {
		const {figures, words} = this.#views;
		// Not merged into one object, which V8 is slow to make: this runs for each sample.
		const [given, own]: ReadonlyArray<Partial<Figures>> = [samplerFigures, this.#figures.sums];
		for (let at = 0; at < figures.length; at++) {
			figures[at] = given[figureNames[at]] ?? own[figureNames[at]] ?? 0;
		}

		words[countWord.strings] = this.#dictionary.stringCount;
		words[countWord.bytes] = this.#dictionary.byteCount;
		words[countWord.frames] = this.#dictionary.frameCount;
		words[countWord.nodes] = this.#dictionary.nodeCount;
		words[countWord.threads] = this.#threads.count;
		words[countWord.counters] = this.#counters.rows.size;
		words[countWord.contention] = this.#contention.rows.size;
		words[countWord.events] = this.#events.rows.size;
		words[word.generation]++;
	}
}
