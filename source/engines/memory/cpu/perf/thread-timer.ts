import {constants} from 'node:os';
import {safe, type Printable} from '../../../../util/printable.js';
import {getOrCreate} from '../../../../util/get-or-create.js';
import {threadFlag} from '../../../../model/sample.js';
import {type UnattributedReason} from '../../../common/engine.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {pageBytes, refusalOf, type MappedRing, type PerfCalls} from './perf-calls.js';
import {recordCostMs, setCurrentStack, type PerfTimer, monotonicNs} from './perf-timer.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {Ring, type PerfRecord} from './perf-ring.js';

/** With this much CPU time in `busyWithinMs` a thread gets an event; with less in `inactiveMs` it loses it. */
const busyNs = 1e6;
const busyWithinMs = 1000;
const inactiveMs = 2000;

/** With this many events, new rings get the next smaller size in `ringSizes`, so that all take at most 16 MB. */
const smallerFrom = [16, 48] as const;
const maxEvents = 512;

const retryRefusedAfterMs = 5000;

/** A thread that has used CPU time lately; without an event if it has used little, or if that was refused. */
type RecordedThread = {
	event?: ThreadEvent;
	newest?: RecordedStack;
	/** Stacks recorded since the previous sample, oldest first. */
	newStacks: RecordedStack[];
	/** CPU time used since `sinceMs`. */
	usedNs: number;
	sinceMs: number;
	/** When to try a refused event again; -Infinity if none was refused. */
	retryAtMs: number;
	/** Number of the last update in which the thread was among the changed ones. */
	lastUpdate: number;
};

/** Takes stacks of running threads from events on their clocks: opens them for busy threads, closes them for others. */
export class ThreadTimer implements PerfTimer {
	readonly #calls: PerfCalls;
	readonly #stacks: RecordedStacks;
	readonly #withKernel: boolean;
	readonly #shortestNs: number;
	#periodNs: number;
	readonly #threads = new Map<JavaThread, RecordedThread>();
	/** Number of open events, and of updates so far. */
	#events = 0;
	#updates = 0;
	/** Index in `ringSizes` of the largest size that new rings may have. */
	#largest = 0;
	/** The kernel refused memory for a ring: the next sample opens all rings again, with a smaller size. */
	#isTooLarge = false;
	/** Number of threads whose events were refused. */
	#refusedThreads = 0;
	/** The errno of the last refusal. */
	#lastError = 0;

	constructor(
		calls: PerfCalls,
		stacks: RecordedStacks,
		{withKernel, periodNs}: {readonly withKernel: boolean; readonly periodNs: number},
	) {
		this.#calls = calls;
		this.#stacks = stacks;
		this.#withKernel = withKernel;
		this.#shortestNs = periodNs;
		this.#periodNs = periodNs;
	}

	poll(changedThreads: readonly JavaThread[]): number {
		let recordCount = 0;
		let threadCount = 0;
		for (const [thread, entry] of this.#threads) {
			const records = entry.event?.take() ?? [];
			entry.newStacks = records.map(record => this.#stacks.walk(record, thread)).filter(stack =>
				stack !== undefined);
			entry.newest = entry.newStacks.at(-1) ?? entry.newest;
			recordCount += records.length;
			threadCount += records.length > 0 ? 1 : 0;
		}

		this.update(changedThreads, performance.now());
		return threadCount > 0 ? recordCount * recordCostMs / threadCount : 0;
	}

	setCurrentStack(thread: JavaThread): boolean {
		const entry = this.of(thread);
		if (!entry?.event) {
			return false;
		}

		setCurrentStack(thread, entry.newest, stack => this.#stacks.isStillMounted(stack));
		return true;
	}

	get unattributed(): UnattributedReason {
		return this.unrecordedNote === '' ? (this.#withKernel ? 'wakeUps' : 'systemCalls') : 'refused';
	}

	/** Returns how many busy threads have no records, and why; empty if all have records. */
	get unrecordedNote(): Printable {
		const why = this.#lastError === constants.errno.EPERM
			? safe`too little memory may be locked (ulimit -l)`
			: refusalOf(this.#lastError);
		return this.#refusedThreads === 0
			? safe``
			: safe`${this.#refusedThreads} ${this.#refusedThreads === 1 ? 'thread has' : 'threads have'} no records: ${why}`;
	}

	get bufferMs(): number {
		return this.#events === 0 ? Infinity : ringRecords * this.#periodNs / 1e6;
	}

	recordEvery(times: number): void {
		const periodNs = this.#shortestNs * times;
		if (periodNs !== this.#periodNs) {
			this.#periodNs = periodNs;
			for (const {event} of this.#threads.values()) {
				event?.setPeriod(periodNs);
			}
		}
	}

	newStacks(thread: JavaThread): readonly RecordedStack[] {
		return this.of(thread)?.newStacks ?? [];
	}

	/** Returns undefined for a thread that has used almost no CPU time. */
	of(thread: JavaThread): RecordedThread | undefined {
		return this.#threads.get(thread);
	}

	/** Opens and closes events according to CPU use; closes those of ended threads, whose last records do not count. */
	update(changedThreads: readonly JavaThread[], nowMs: number): void {
		this.#updates++;
		if (this.#isTooLarge) {
			this.#isTooLarge = false;
			this.#largest++;
			this.release();
		}

		for (const thread of changedThreads) {
			this.#updateChanged(thread, nowMs);
		}

		this.#refusedThreads = 0;
		for (const [thread, entry] of this.#threads) {
			// Not among the changed threads: it is unchanged, or has ended.
			const isMissing = entry.lastUpdate !== this.#updates;
			const isUnchanged = isMissing && thread.isSettled && !entry.event;
			if (isUnchanged) {
				this.#addCpu(entry, thread, nowMs);
			}

			// Keep a thread whose new records have not been counted yet.
			const isInactive = entry.usedNs < busyNs && nowMs - entry.sinceMs > inactiveMs && !thread.isInJava
				&& entry.newStacks.length === 0;
			if (isInactive || (isMissing && !isUnchanged)) {
				this.#close(thread, entry);
				this.#threads.delete(thread);
			} else if (nowMs < entry.retryAtMs) {
				this.#refusedThreads++;
			}
		}
	}

	/** Closes all events; busy threads will get new ones. */
	release(): void {
		for (const [thread, entry] of this.#threads) {
			this.#close(thread, entry);
		}

		this.#threads.clear();
	}

	/** Adds a thread's CPU time, and opens an event for it if it has none and is busy. */
	#updateChanged(thread: JavaThread, nowMs: number): void {
		const existing = this.#threads.get(thread);
		if (existing) {
			existing.lastUpdate = this.#updates;
			this.#addCpu(existing, thread, nowMs);
		}

		const isCompiler = (thread.description.flags & threadFlag.compiler) !== 0;
		const isRunning = thread.presence.exists && (thread.cpu.usedNs > 0 || thread.isInJava);
		if (isRunning && !isCompiler && !thread.records.isRecorded) {
			const entry = getOrCreate<JavaThread, RecordedThread>(this.#threads, thread, () => ({
				newStacks: [],
				usedNs: thread.cpu.usedNs,
				sinceMs: nowMs,
				retryAtMs: Number.NEGATIVE_INFINITY,
				lastUpdate: this.#updates,
			}));
			if ((entry.usedNs >= busyNs || thread.isInJava) && nowMs >= entry.retryAtMs) {
				this.#open(entry, thread, nowMs);
			}
		}
	}

	/** Adds a thread's CPU time to `usedNs`, which begins anew after a while in which the thread was active. */
	#addCpu(entry: RecordedThread, thread: JavaThread, nowMs: number): void {
		const isBusy = entry.usedNs >= (entry.event ? busyNs : 1);
		if (isBusy && nowMs - entry.sinceMs > (entry.event ? inactiveMs : busyWithinMs)) {
			entry.usedNs = 0;
			entry.sinceMs = nowMs;
		}

		entry.usedNs += thread.cpu.usedNs;
	}

	/** Opens an event for a thread, with the largest ring that the kernel permits. */
	#open(entry: RecordedThread, thread: JavaThread, nowMs: number): void {
		for (let size = this.#nextSize(); size < ringSizes.length; size++) {
			const event = ThreadEvent.open(this.#calls, thread.nativeId, {
				size: ringSizes[size],
				withKernel: this.#withKernel,
				periodNs: this.#periodNs,
			});
			if (typeof event !== 'number') {
				entry.event = event;
				thread.records.setRecorded(true);
				entry.usedNs = 0;
				entry.sinceMs = nowMs;
				this.#events++;
				return;
			}

			if (event === constants.errno.ESRCH) {
				return;
			}

			this.#lastError = event;
		}

		entry.retryAtMs = nowMs + retryRefusedAfterMs;
		this.#isTooLarge = this.#lastError === constants.errno.EPERM && this.#largest < ringSizes.length - 1;
	}

	/** Returns the index of the ring size for a new event; past the end if there are too many events. */
	#nextSize(): number {
		return this.#events >= maxEvents
			? ringSizes.length
			: Math.max(this.#largest, smallerFrom.filter(count => this.#events >= count).length);
	}

	#close(thread: JavaThread, entry: RecordedThread): void {
		thread.records.setRecorded(false);
		if (entry.event) {
			entry.event.close();
			entry.event = undefined;
			this.#events--;
		}
	}
}

/** `stackBytes`: maximum of a record's stack copy; `pages`: of the ring, a power of two. */
type RingSize = {readonly stackBytes: number; readonly pages: number};

/**
The best size first. Stacks usually have 6 to 8 KB, at most 21; a truncated copy still has the innermost frames. Each
record takes the space of a full copy, so that `ringRecords` fit into a ring of any size.
*/
export const ringSizes: readonly RingSize[] = [{stackBytes: 32_768, pages: 64}, {stackBytes: 8192, pages: 16}, {
	stackBytes: 2048,
	pages: 4,
}];

/** Number of records that fit into a ring. */
export const ringRecords = 7;

/** The shortest first period, as a fraction of a period: much shorter ones would fill the ring. */
const minFirstPeriod = 1 / 8;

type ThreadEventOptions = {readonly size: RingSize; readonly periodNs: number; readonly withKernel: boolean};

/**
An event on the CPU clock of one thread, with its ring. The first record comes after a random part of a period but
counts for a whole one, so short-lived threads count correctly on average. Records also count for lost ones of the same
reading.
*/
export class ThreadEvent {
	/** Returns an errno if the event or its ring is refused. */
	static open(calls: PerfCalls, tid: number, {size, withKernel, periodNs}: ThreadEventOptions): ThreadEvent | number {
		const firstNs = Math.round(periodNs * (minFirstPeriod + ((1 - minFirstPeriod) * Math.random())));
		const opened = calls.open(tid, {periodNs: firstNs, stackBytes: size.stackBytes, withKernel});
		if ('errno' in opened) {
			return opened.errno;
		}

		const mapped = calls.mapRing(opened.fd, (1 + size.pages) * pageBytes);
		if ('errno' in mapped) {
			calls.close(opened.fd);
			return mapped.errno;
		}

		return new ThreadEvent(calls, opened.fd, mapped, {firstNs, periodNs});
	}

	readonly #calls: PerfCalls;
	readonly #fd: number;
	readonly #mapped: MappedRing;
	readonly #ring: Ring;
	#periodNs: number;
	/** The previous period, at first a random one, and its end (CLOCK_MONOTONIC; Infinity until then). */
	#earlierNs: number;
	#earlierUntilNs = Number.POSITIVE_INFINITY;

	private constructor(
		calls: PerfCalls,
		fd: number,
		mapped: MappedRing,
		periods: {readonly firstNs: number; readonly periodNs: number},
	) {
		this.#calls = calls;
		this.#fd = fd;
		this.#mapped = mapped;
		this.#ring = new Ring(mapped.memory);
		this.#earlierNs = periods.firstNs;
		this.#periodNs = periods.periodNs;
	}

	/** Removes all records and returns them. Not after `close`. */
	take(): readonly PerfRecord[] {
		const {records, lost} = this.#ring.take();
		const isFirst = this.#earlierUntilNs === Number.POSITIVE_INFINITY;
		// Until the regular period is set, further records follow at the first, shorter one.
		for (const [index, record] of records.entries()) {
			const periodNs = record.timeNs < this.#earlierUntilNs && !(isFirst && index === 0)
				? this.#earlierNs
				: this.#periodNs;
			record.periodNs = periodNs * (records.length + lost) / records.length;
		}

		if (isFirst && records.length > 0) {
			// Once only, since setting the period restarts it.
			this.#calls.setPeriod(this.#fd, this.#periodNs);
			this.#earlierUntilNs = monotonicNs();
		}

		return records;
	}

	/** Sets the period. */
	setPeriod(periodNs: number): void {
		if (this.#earlierUntilNs !== Number.POSITIVE_INFINITY) {
			this.#calls.setPeriod(this.#fd, periodNs);
			this.#earlierNs = this.#periodNs;
			this.#earlierUntilNs = monotonicNs();
		}

		// Before its first record, an event still has its random period, and `take` sets this one.
		this.#periodNs = periodNs;
	}

	close(): void {
		this.#calls.unmap(this.#mapped);
		this.#calls.close(this.#fd);
	}
}
