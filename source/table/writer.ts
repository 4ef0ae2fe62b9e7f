import {unknownLine, unseenWork, type Interner} from '../model/frame.js';
import {lockKindCode, threadFlag, type Sample} from '../model/sample.js';
import {stateCode} from '../model/thread-state.js';
import {contentionKeyAt, ContentionWriter} from './contention-writer.js';
import {DictionaryWriter} from './dictionary.js';
import {FactWriter} from './fact-writer.js';
import {SampleFigures, writeFigures} from './figures.js';
import {countWord, word, type SamplerFigures} from './layout.js';
import {acquireLock, releaseLock} from './lock.js';
import {StackMemo} from './stack-memo.js';
import {ThreadWriter} from './thread-writer.js';
import {TableViews} from './views.js';

/**
The reader holds the lock for a copy of some megabytes at most; longer than this it is stuck, and the sample is given up
rather than the session.
*/
const lockWaitMs = 1000;

const once = Object.freeze({before: 0, now: 1});

/**
Counts samples into the shared table. Each table has one writer, in the sampler's worker. Names, stacks and new facts
are appended without the lock; a sample's increments and the new counts are published in one short critical section, so
that a reader sees a sample whole or not at all.
*/
export class TableWriter implements Interner {
	readonly #views: TableViews;
	readonly #dictionary: DictionaryWriter;
	readonly #threads: ThreadWriter;
	readonly #stacks: StackMemo;
	readonly #facts: FactWriter;
	readonly #contention: ContentionWriter;
	/** Thread record, stack, fact and contention of each row of the sample; -1 for none. */
	#recordOf = new Int32Array(256);
	#nodeOf = new Int32Array(256);
	#factOf = new Int32Array(256);
	#contentionOf = new Int32Array(256);
	/** The fact that takes a row's CPU time of no known place; -1 without any. */
	#unseenOf = new Int32Array(256);
	/** The fact of each credit of the sample; -1 for none. */
	#creditOf = new Int32Array(64);
	/** Rows that are not what they were in the sample before, and whether these are the same threads' nevertheless. */
	#changed = new Int32Array(256);
	#changedCount = 0;
	#hasSameThreads = false;
	/** Rows of the sample counted last, whose places hold for those that are the same; 0 when it was not counted. */
	#placed = 0;
	/** The stack of such time; -1 until there is some. */
	#unseenNode = -1;
	readonly #figures = new SampleFigures();

	/** Takes an empty table, see `createTable`. */
	constructor(buffer: SharedArrayBuffer) {
		this.#views = new TableViews(buffer);
		this.#dictionary = new DictionaryWriter(this.#views);
		this.#stacks = new StackMemo(this.#dictionary);
		this.#threads = new ThreadWriter(this.#views);
		this.#contention = new ContentionWriter(this.#views);
		this.#facts = new FactWriter(this.#views, this.#dictionary, this.#threads);
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
	name and place, without counting. `times`: as how many samples it counts, after the one before it has counted so many
	times more; CPU time counts once. False, with nothing of it counted, when the lock was not free in time.
	*/
	count(sample: Sample, atMs: number, figures: SamplerFigures, accepts?: (name: string) => boolean, times: {readonly before: number; readonly now: number} = once): boolean {
		const {before, now} = this.#placed > 0 ? times : {before: 0, now: times.before + times.now};
		if (before > 0 && !this.#again(before)) {
			return false;
		}

		this.#place(sample, accepts);
		const rowsBefore = this.#placed;
		this.#placed = 0;
		if (!acquireLock(this.#views.words, lockWaitMs)) {
			return false;
		}

		try {
			this.#apply(sample, atMs, rowsBefore, now);
			this.#publish(figures);
			this.#placed = sample.count;
		} finally {
			releaseLock(this.#views.words);
		}

		return true;
	}

	/**
	Counts the sample counted last so many times more, as one of that time in which no thread used CPU time, and publishes
	it with the figures. False when there is none, or the lock was not free in time.
	*/
	countAgain(atMs: number, figures: SamplerFigures, times: number): boolean {
		return this.#placed > 0 && this.#again(times, () => {
			this.#figures.sums.lastSampleAtMs = atMs;
			this.#publish(figures);
		});
	}

	/** Publishes the figures alone, as after a failed sample. False when the lock was not free in time. */
	publish(figures: SamplerFigures): boolean {
		if (!acquireLock(this.#views.words, lockWaitMs)) {
			return false;
		}

		this.#publish(figures);
		releaseLock(this.#views.words);
		return true;
	}

	/**
	Counts the sample counted last so many times more, and does what else is to be done under the lock. False when that
	was not free in time.
	*/
	#again(times: number, then?: () => void): boolean {
		if (!acquireLock(this.#views.words, lockWaitMs)) {
			return false;
		}

		for (let row = 0; row < this.#placed; row++) {
			this.#addTicks(row, times);
		}

		this.#figures.count(times);
		then?.();
		releaseLock(this.#views.words);
		return true;
	}

	/** Counts where a row stands so many times, if it counts. */
	#addTicks(row: number, times: number): void {
		const fact = this.#factOf[row];
		if (fact < 0) {
			return;
		}

		this.#facts.addTicks(fact, times);
		if (this.#contentionOf[row] >= 0) {
			this.#contention.addTicks(this.#contentionOf[row], times);
		}
	}

	/** Finds or makes the record, stack, fact and contention of every row, without the lock. */
	#place(sample: Sample, accepts?: (name: string) => boolean): void {
		const {count} = sample;
		if (count > this.#recordOf.length) {
			const size = count * 2;
			this.#recordOf = new Int32Array(size);
			this.#nodeOf = new Int32Array(size);
			this.#factOf = new Int32Array(size);
			this.#contentionOf = new Int32Array(size);
			this.#unseenOf = new Int32Array(size);
			this.#changed = new Int32Array(size);
			this.#placed = 0;
		}

		this.#hasSameThreads = count === this.#placed;
		this.#changedCount = 0;
		for (let row = 0; row < count; row++) {
			if (this.#isPlaced(sample, row)) {
				continue;
			}

			this.#changed[this.#changedCount++] = row;
			const record = this.#recordOf[row];
			const wasCounted = this.#factOf[row] >= 0;
			this.#factOf[row] = -1;
			this.#contentionOf[row] = -1;
			this.#recordOf[row] = -1;
			if (!accepts || accepts(sample.name[row])) {
				this.#placeThread(sample, row);
				this.#factOf[row] = this.#facts.place(this.#recordOf[row], this.#nodeOf[row], sample.state[row]);
				this.#unseenOf[row] = sample.unseenCpuNs[row] > 0 ? this.#facts.place(this.#recordOf[row], this.#unseenStack(), sample.state[row]) : -1;
			}

			this.#hasSameThreads &&= this.#recordOf[row] === record && (this.#factOf[row] >= 0) === wasCounted;
		}

		for (let row = 0; row < count; row++) {
			if (this.#factOf[row] < 0 || sample.lockKind[row] === lockKindCode.none) {
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

		this.#placeCredits(sample);
		this.#stacks.endSample();
	}

	/** Whether record, stack and fact of a row are those that it had in the sample before. */
	#isPlaced(sample: Sample, row: number): boolean {
		return sample.isSame[row] === 1 && row < this.#placed;
	}

	/** A thread that runs is RUNNABLE where it uses CPU time, wherever it stands now. */
	#placeCredits(sample: Sample): void {
		const {credits} = sample;
		if (credits.count > this.#creditOf.length) {
			this.#creditOf = new Int32Array(credits.count * 2);
		}

		for (let credit = 0; credit < credits.count; credit++) {
			const row = credits.row[credit];
			const node = this.#factOf[row] < 0 ? -1 : this.#stacks.placeCredit(sample, credit, this.#nodeOf[row]);
			this.#creditOf[credit] = node < 0 ? -1 : this.#facts.place(this.#recordOf[row], node, stateCode.RUNNABLE);
		}
	}

	#placeThread(sample: Sample, row: number): void {
		const record = this.#threads.recordOf(sample.key[row]);
		this.#recordOf[row] = record;
		this.#nodeOf[row] = this.#stacks.place(record, sample, row);
	}

	#unseenStack(): number {
		if (this.#unseenNode < 0) {
			const frame = this.internFrame(this.internString(unseenWork.className), this.internString(unseenWork.method), 0, unknownLine);
			this.#unseenNode = this.#dictionary.internStack(Int32Array.of(frame), 0, 1);
		}

		return this.#unseenNode;
	}

	/**
	Contention of a row that waits for a lock; -1 if nobody is known to hold it up, as with a thread that is parked for
	lack of work.
	*/
	#placeContention(sample: Sample, row: number): number {
		const owner = sample.lockOwner[row];
		const kind = sample.lockKind[row];
		if (owner < 0 && kind !== lockKindCode.monitor && kind !== lockKindCode['class-init']) {
			return -1;
		}

		const {key} = this.#contention;
		key[contentionKeyAt.thread] = this.#recordOf[row];
		key[contentionKeyAt.node] = this.#nodeOf[row];
		key[contentionKeyAt.lockKind] = kind;
		key[contentionKeyAt.lockClass] = sample.lockClass[row];
		key[contentionKeyAt.owner] = this.#recordOfRow(owner);
		key[contentionKeyAt.ownerNode] = owner < 0 ? 0 : this.#nodeOf[owner];
		key[contentionKeyAt.ownerFrame] = sample.lockOwnerFrame[row];
		return this.#contention.place(() => this.#threads.recordOfOther());
	}

	/**
	Adds a sample to the counters, so many times, and to the thread records; `before`: rows of the one before, where the
	same ones are. The lock is held.
	*/
	#apply(sample: Sample, atMs: number, before: number, times: number): void {
		const threads = this.#threads;
		this.#figures.begin(atMs);
		threads.beginSample(atMs, this.#hasSameThreads);
		for (let row = 0; row < sample.count; row++) {
			const record = this.#recordOf[row];
			const fact = this.#factOf[row];
			if (record < 0) {
				continue;
			}

			if (sample.isSame[row] === 1 && row < before) {
				threads.keep(record, fact >= 0);
			} else {
				threads.write(record, sample, row, this.#nodeOf[row], this.#recordOfRow(sample.lockOwner[row]), fact >= 0);
			}

			if (fact < 0) {
				continue;
			}

			this.#addTicks(row, times);
			this.#facts.addCpu(fact, sample.placedCpuNs[row]);
			if (this.#unseenOf[row] >= 0) {
				this.#facts.addCpu(this.#unseenOf[row], sample.unseenCpuNs[row]);
			}

			this.#figures.add((sample.flags[row] & threadFlag.incomplete) !== 0, this.#facts.isOther(fact));
		}

		this.#figures.count(times);
		const {credits} = sample;
		for (let credit = 0; credit < credits.count; credit++) {
			const fact = this.#creditOf[credit];
			if (fact >= 0) {
				this.#facts.addCpu(fact, credits.cpuNs[credit]);
			}
		}

		if (times > 1) {
			this.#spreadTicks(sample, times);
		}

		threads.endSample(sample, this.#recordOf, this.#factOf, this.#changed.subarray(0, this.#changedCount));
	}

	/**
	A sample that counts several times stands for moments in which a running thread was elsewhere: all but the last count
	where its credits say that it was, in their order. The lock is held.
	*/
	#spreadTicks({credits, state}: Sample, times: number): void {
		for (let first = 0, end = 0; first < credits.count; first = end) {
			const row = credits.row[first];
			while (end < credits.count && credits.row[end] === row) {
				end++;
			}

			if (this.#factOf[row] >= 0 && state[row] === stateCode.RUNNABLE) {
				this.#spread(this.#factOf[row], first, end, times);
			}
		}
	}

	#spread(fact: number, firstCredit: number, endCredit: number, times: number): void {
		for (let time = 1; time < times; time++) {
			const there = this.#creditOf[firstCredit + Math.floor((time - 0.5) * (endCredit - firstCredit) / times)];
			if (there >= 0) {
				this.#facts.addTicks(fact, -1);
				this.#facts.addTicks(there, 1);
			}
		}
	}

	#recordOfRow(row: number): number {
		return row < 0 ? -1 : this.#recordOf[row];
	}

	/** Writes figures and counts. The lock is held. */
	#publish(given: SamplerFigures): void {
		const {figures, words} = this.#views;
		writeFigures(figures, given, this.#figures.sums);
		words[countWord.strings] = this.#dictionary.texts.length;
		words[countWord.bytes] = this.#dictionary.byteCount;
		words[countWord.frames] = this.#dictionary.frameCount;
		words[countWord.nodes] = this.#dictionary.nodeCount;
		words[countWord.threads] = this.#threads.count;
		words[countWord.names] = this.#threads.names.count;
		words[countWord.nameBytes] = this.#threads.names.byteCount;
		words[countWord.facts] = this.#facts.count;
		words[countWord.contention] = this.#contention.count;
		words[word.generation]++;
	}
}
