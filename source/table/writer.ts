import type {Interner} from '../model/frame.js';
import {lockKindCode, threadFlag, type Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';
import {DictionaryWriter} from './dictionary.js';
import {CounterWriter, ContentionWriter} from './counter-writer.js';
import {Moves, SampleFigures, type Counts} from './figures.js';
import {
	countWord, figureNames, word, type SamplerFigures,
} from './layout.js';
import {acquireLock, releaseLock} from './lock.js';
import {ThreadWriter} from './thread-writer.js';
import {TableViews} from './views.js';

/** The reader holds the lock for a copy of some megabytes at most: longer than this it is stuck. */
const lockWaitMs = 1000;

/** Ticks that a sample counts for, those of the one before it first; and as how many samples, as many as ticks by default. */
type SampleCounts = {readonly before: number; readonly now: number; readonly samples?: number};

const once: SampleCounts = Object.freeze({before: 0, now: 1});

/**
Counts samples into the shared table. Each table has one writer, in the sampler's worker. Names, stacks and new counters
are appended without the lock; a sample's increments and the new counts are published in one short critical section, so
that a reader sees a sample whole or not at all.
*/
export class TableWriter implements Interner {
	readonly #views: TableViews;
	readonly #dictionary: DictionaryWriter;
	readonly #threads: ThreadWriter;
	readonly #counters: CounterWriter;
	readonly #contention: ContentionWriter;
	/** Thread record, stack, counter and contention of each row of the sample; -1 for none. */
	#recordOf = new Int32Array(256);
	#nodeOf = new Int32Array(256);
	#counterOf = new Int32Array(256);
	#contentionOf = new Int32Array(256);
	/** How many threads each row stands for. */
	#membersOf = new Float64Array(256);
	/** The counter of each row of attributed CPU time; -1 for none. */
	#attributedCpuOf = new Int32Array(64);
	/** Rows that are not what they were in the sample before. */
	#changed = new Int32Array(256);
	#changedCount = 0;
	/** Rows of the sample counted last, whose places hold for those that are the same; 0 when it was not counted. */
	#placed = 0;
	readonly #figures = new SampleFigures();
	readonly #moves = new Moves();

	/** Takes an empty table, see `createTable`. */
	constructor(buffer: SharedArrayBuffer) {
		this.#views = new TableViews(buffer);
		this.#dictionary = new DictionaryWriter(this.#views);
		this.#threads = new ThreadWriter(this.#views);
		this.#contention = new ContentionWriter(this.#views);
		this.#counters = new CounterWriter(this.#views, this.#dictionary, this.#threads);
	}

	/** See `Interner`. */
	internString(text: string): number {
		return this.#dictionary.internString(text);
	}

	/** See `Interner`. */
	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		return this.#dictionary.internFrame(classId, methodId, fileId, line);
	}

	/**
	Counts every thread of a sample, or those whose name is accepted, and publishes them with the figures.
	`atMs`: epoch milliseconds of the sample. A thread that is not accepted but holds up one that is becomes known by
	name and place, without counting. CPU time counts once, independent of `counts`. False, with nothing counted, when the
	lock was not free in time.
	*/
	count(sample: Sample, atMs: number, figures: SamplerFigures, accepts?: (name: string) => boolean, counts: SampleCounts = once): boolean {
		const {before, now} = this.#placed > 0 ? counts : {before: 0, now: counts.before + counts.now};
		const {samples = before + now} = counts;
		// Where the rows of the sample before counted, as they are placed anew.
		const placedBefore = before > 0 ? {counters: this.#counterOf.slice(0, this.#placed), contention: this.#contentionOf.slice(0, this.#placed), members: this.#membersOf.slice(0, this.#placed)} : undefined;
		this.#place(sample, accepts);
		const rowsBefore = this.#placed;
		this.#placed = 0;
		return this.#locked(() => {
			if (placedBefore) {
				this.#addTicks(placedBefore, before);
				this.#figures.count({samples: Math.min(before, samples), ticks: before});
			}

			this.#apply(sample, atMs, rowsBefore, {samples: Math.max(0, samples - before), ticks: now});
			this.#freeEnded();
			this.#publish(figures);
			this.#placed = sample.count;
		});
	}

	/** Publishes the figures alone, as after a failed sample. False when the lock was not free in time. */
	publish(figures: SamplerFigures): boolean {
		return this.#locked(() => {
			this.#publish(figures);
		});
	}

	/** Does something under the lock. False, with nothing done, when it was not free in time. */
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

	/** Adds what threads have used that ended up in one record, and frees their places. The lock is held. */
	#freeEnded(): void {
		const [counters, contention] = [this.#counters.records, this.#contention.records];
		const {shape: {maxSlabs, ...shares}} = this.#views;
		const ended = this.#threads.freeEnded(counters.used > shares.counters * maxSlabs / 2 || contention.used > shares.contention * maxSlabs / 2);
		if (!ended) {
			return;
		}

		const {freed, into} = ended;
		for (const [records, fields] of [[counters, ['thread']], [contention, ['thread', 'owner']]] as const) {
			const places = fields.map(field => records.keyAt[field]);
			records.merge(freed, places, key => {
				for (const place of places) {
					key[place] = key[place] >= 0 && freed[key[place]] === 1 ? into : key[place];
				}
			});
		}

		this.#views.words[word.reused]++;
	}

	/** Counts where rows stand for so many ticks, those that count. The lock is held. */
	#addTicks({counters, contention, members}: {readonly counters: Int32Array; readonly contention: Int32Array; readonly members: Float64Array}, ticks: number): void {
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

	/** Finds or makes the record, stack, counter and contention of every row, without the lock. */
	#place(sample: Sample, accepts?: (name: string) => boolean): void {
		const {count} = sample;
		if (count > this.#recordOf.length) {
			const size = count * 2;
			this.#recordOf = new Int32Array(size);
			this.#nodeOf = new Int32Array(size);
			this.#counterOf = new Int32Array(size);
			this.#contentionOf = new Int32Array(size);
			this.#membersOf = new Float64Array(size);
			this.#changed = new Int32Array(size);
			this.#placed = 0;
		}

		this.#changedCount = 0;
		for (let row = 0; row < count; row++) {
			if (this.#isPlaced(sample, row)) {
				continue;
			}

			this.#changed[this.#changedCount++] = row;
			this.#counterOf[row] = -1;
			this.#contentionOf[row] = -1;
			this.#recordOf[row] = -1;
			this.#membersOf[row] = Math.max(1, sample.members[row]);
			if (!accepts || accepts(sample.name[row])) {
				this.#placeThread(sample, row);
				this.#counterOf[row] = this.#counters.findOrAdd(this.#recordOf[row], this.#nodeOf[row], sample.state[row]);
			}
		}

		for (let row = 0; row < count; row++) {
			if (this.#counterOf[row] < 0 || sample.lockKind[row] === lockKindCode.none) {
				continue;
			}

			const owner = sample.lockOwner[row];
			if (owner < 0 && this.#contentionOf[row] < 0 && this.#isPlaced(sample, row)) {
				continue;
			}

			if (owner >= 0 && this.#recordOf[owner] < 0) {
				this.#placeThread(sample, owner);
			}

			this.#contentionOf[row] = this.#placeContention(sample, row);
		}

		this.#placeAttributedCpu(sample);
	}

	/** Whether record, stack and counter of a row are those that it had in the sample before. */
	#isPlaced(sample: Sample, row: number): boolean {
		return sample.isSame[row] === 1 && row < this.#placed;
	}

	/** A thread that runs is RUNNABLE where it uses CPU time, wherever it stands now. */
	#placeAttributedCpu(sample: Sample): void {
		const {attributedCpu} = sample;
		if (attributedCpu.count > this.#attributedCpuOf.length) {
			this.#attributedCpuOf = new Int32Array(attributedCpu.count * 2);
		}

		for (let index = 0; index < attributedCpu.count; index++) {
			const row = attributedCpu.row[index];
			const node = this.#counterOf[row] < 0 ? -1 : this.#dictionary.internStack(sample.frames, attributedCpu.stackStart[index], attributedCpu.stackLength[index], this.#nodeOf[row]);
			this.#attributedCpuOf[index] = node < 0 ? -1 : this.#counters.findOrAdd(this.#recordOf[row], node, stateCode.RUNNABLE);
		}
	}

	#placeThread(sample: Sample, row: number): void {
		this.#recordOf[row] = this.#threads.recordOf(sample.key[row]);
		const nodeBefore = this.#views.regions.threads.node.get(this.#recordOf[row]);
		this.#nodeOf[row] = this.#dictionary.internStack(sample.frames, sample.stackStart[row], sample.stackLength[row], nodeBefore);
	}

	/** Contention of a row that waits for a lock; -1 if nobody is known to hold it up. */
	#placeContention(sample: Sample, row: number): number {
		const owner = sample.lockOwner[row];
		const kind = sample.lockKind[row];
		if (owner < 0 && kind !== lockKindCode.monitor && kind !== lockKindCode['class-init']) {
			return -1;
		}

		const {key, keyAt} = this.#contention.records;
		key[keyAt.thread] = this.#recordOf[row];
		key[keyAt.node] = this.#nodeOf[row];
		key[keyAt.lockKind] = kind;
		key[keyAt.lockClass] = sample.lockClass[row];
		key[keyAt.owner] = this.#recordOfRow(owner);
		key[keyAt.ownerNode] = owner < 0 ? 0 : this.#nodeOf[owner];
		key[keyAt.ownerFrame] = sample.lockOwnerFrame[row];
		return this.#contention.findOrAdd(() => this.#threads.recordOfOther());
	}

	/** Adds a sample to counters and thread records; `before`: rows of the one before that may be the same. The lock is held. */
	#apply(sample: Sample, atMs: number, before: number, counts: Counts): void {
		const threads = this.#threads;
		if ([this.#counters.records.flush(), this.#contention.records.flush()].includes(true)) {
			this.#views.words[word.reused]++;
		}

		this.#figures.begin(atMs);
		threads.beginSample(atMs);
		for (let row = 0; row < sample.count; row++) {
			const record = this.#recordOf[row];
			const counter = this.#counterOf[row];
			if (record < 0) {
				continue;
			}

			if (sample.isSame[row] === 1 && row < before) {
				threads.keep(record);
			} else {
				const nodeBefore = threads.write(record, sample, row, this.#nodeOf[row], this.#recordOfRow(sample.lockOwner[row]), counter >= 0);
				if (nodeBefore >= 0 && counter >= 0) {
					this.#moves.add(this.#dictionary.frameOf(nodeBefore), this.#dictionary.frameOf(this.#nodeOf[row]));
				}
			}

			if (counter < 0) {
				continue;
			}

			this.#figures.add(this.#membersOf[row], (sample.flags[row] & threadFlag.incomplete) !== 0, this.#counters.isOther(counter));
		}

		this.#addTicks({counters: this.#counterOf.subarray(0, sample.count), contention: this.#contentionOf, members: this.#membersOf}, counts.ticks);
		this.#figures.count(counts);
		this.#moves.end(this.#figures.sums);
		const {attributedCpu} = sample;
		for (let index = 0; index < attributedCpu.count; index++) {
			const counter = this.#attributedCpuOf[index];
			if (counter >= 0) {
				this.#counters.addCpu(counter, attributedCpu.cpuNs[index], attributedCpu.records[index]);
			}
		}

		if (counts.ticks > 1) {
			this.#spreadTicks(sample, counts.ticks);
		}

		threads.endSample(sample, this.#recordOf, this.#counterOf, this.#changed.subarray(0, this.#changedCount));
	}

	/**
	A sample of several ticks stands for moments in which a running thread was elsewhere: all but the last count
	where their records say that it was, in their order; not those of threads without a stack. The lock is held.
	*/
	#spreadTicks({attributedCpu, state, stackLength}: Sample, times: number): void {
		for (let first = 0, end = 0; first < attributedCpu.recorded; first = end) {
			const row = attributedCpu.row[first];
			while (end < attributedCpu.recorded && attributedCpu.row[end] === row) {
				end++;
			}

			if (this.#counterOf[row] >= 0 && state[row] === stateCode.RUNNABLE && stackLength[row] > 0) {
				this.#spread(this.#counterOf[row], first, end, times);
			}
		}
	}

	#spread(counter: number, firstAttributedCpu: number, endAttributedCpu: number, times: number): void {
		for (let time = 1, left = times; time < times; time++) {
			const there = this.#attributedCpuOf[firstAttributedCpu + Math.floor((time - 0.5) * (endAttributedCpu - firstAttributedCpu) / times)];
			if (there >= 0) {
				this.#counters.moveTick(counter, there, left--);
			}
		}
	}

	#recordOfRow(row: number): number {
		return row < 0 ? -1 : this.#recordOf[row];
	}

	/** Writes figures and counts. The lock is held. */
	#publish(given: SamplerFigures): void {
		const {figures, words} = this.#views;
		const all = {...given, ...this.#figures.sums};
		for (const [at, name] of figureNames.entries()) {
			figures[at] = all[name];
		}

		words[countWord.strings] = this.#dictionary.texts.length;
		words[countWord.bytes] = this.#dictionary.byteCount;
		words[countWord.frames] = this.#dictionary.frameCount;
		words[countWord.nodes] = this.#dictionary.nodeCount;
		words[countWord.threads] = this.#threads.count;
		words[countWord.counters] = this.#counters.records.count;
		words[countWord.contention] = this.#contention.records.count;
		words[word.generation]++;
	}
}
