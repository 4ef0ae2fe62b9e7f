import {constants} from 'node:os';
import {getOrCreate} from '../../../../model/get-or-create.js';
import {threadFlag} from '../../../../model/sample.js';
import {type UnattributedReason} from '../../../common/engine.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {refusalOf, type MappedRing, type PerfCalls} from './perf-calls.js';
import {recordCostMs, setCurrentStack, type RunningTimer, monotonicNs} from './running-timer.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {Ring, pageBytes, type ThreadRecord} from './ring.js';

/**
A thread that uses this much CPU time within `busyWithinMs` gets an event; one that uses less for `idleMs` loses it.
*/
const busyNs = 1e6;
const busyWithinMs = 1000;
const idleMs = 2000;

/** At each count in `smallerFrom` new rings get smaller, so that all take at most 16 MB. */
const maxEvents = 512;
const smallerFrom = [16, 48] as const;

const retryRefusedAfterMs = 5000;

type ThreadRecords = {
	event?: ThreadEvent;
	newest?: RecordedStack;
	/** Stacks recorded since the previous sample, oldest first. */
	newStacks: RecordedStack[];
	/** CPU time used since `sinceMs`. */
	usedNs: number;
	sinceMs: number;
	/** When to try a refused event again; -Infinity if none was refused. */
	retryAtMs: number;
	changedInRound: number;
};

/**
Takes the stacks of running threads from events on their own CPU clocks. Opens events for threads that use CPU time, as
far as the kernel permits, and closes them when the threads become idle.
*/
export class PerfTimer implements RunningTimer {
	/** Events of ended threads are closed unread. */
	readonly endedStacks: readonly RecordedStack[] = [];
	readonly #calls: PerfCalls;
	readonly #stacks: RecordedStacks;
	readonly #withKernel: boolean;
	readonly #periodNs: number;
	readonly #records = new Map<JavaThread, ThreadRecords>();
	#events = 0;
	#round = 0;
	/** Index in `ringSizes` of the largest size in use. */
	#largest = 0;
	/** The kernel refused memory for a ring: the next sample uses a smaller size. */
	#isTooLarge = false;
	/** Number of threads whose events were refused. */
	#refusedThreads = 0;
	#lastError = 0;

	constructor(calls: PerfCalls, stacks: RecordedStacks, {withKernel, periodNs}: {readonly withKernel: boolean; readonly periodNs: number}) {
		this.#calls = calls;
		this.#stacks = stacks;
		this.#withKernel = withKernel;
		this.#periodNs = periodNs;
	}

	poll(changedThreads: readonly JavaThread[]): number {
		let count = 0;
		let recorded = 0;
		for (const [thread, entry] of this.#records) {
			const records = entry.event?.take() ?? [];
			entry.newStacks = records.map(record => this.#stacks.walk(record, thread)).filter(stack => stack !== undefined);
			entry.newest = entry.newStacks.at(-1) ?? entry.newest;
			count += records.length;
			recorded += records.length > 0 ? 1 : 0;
		}

		this.update(changedThreads, performance.now());
		return recorded > 0 ? count * recordCostMs / recorded : 0;
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
		return this.finding === '' ? (this.#withKernel ? 'wakeUps' : 'systemCalls') : 'refused';
	}

	/** Returns how many busy threads have no records, and why; empty if all have records. */
	get finding(): string {
		const why = this.#lastError === constants.errno.EPERM ? 'too little memory may be locked (ulimit -l)' : refusalOf(this.#lastError);
		return this.#refusedThreads === 0 ? '' : `${this.#refusedThreads} ${this.#refusedThreads === 1 ? 'thread has' : 'threads have'} no records: ${why}`;
	}

	get bufferMs(): number {
		return this.#events === 0 ? Infinity : ringRecords * this.#periodNs / 1e6;
	}

	newStacks(thread: JavaThread): readonly RecordedStack[] {
		return this.of(thread)?.newStacks ?? [];
	}

	/** Returns undefined for a thread that has used almost no CPU. */
	of(thread: JavaThread): ThreadRecords | undefined {
		return this.#records.get(thread);
	}

	/** Opens and closes events according to CPU use; closes those of ended threads unread. */
	update(changedThreads: readonly JavaThread[], nowMs: number): void {
		this.#round++;
		if (this.#isTooLarge) {
			this.#isTooLarge = false;
			this.#largest++;
			this.release();
		}

		for (const thread of changedThreads) {
			const known = this.#records.get(thread);
			if (known) {
				known.changedInRound = this.#round;
				this.#age(known, thread, nowMs);
			}

			if (thread.exists && (thread.cpu.usedNs > 0 || thread.isInJava) && (thread.description.flags & threadFlag.compiler) === 0 && !thread.hasEvent) {
				const entry = getOrCreate<JavaThread, ThreadRecords>(this.#records, thread, () => ({
					newStacks: [], usedNs: thread.cpu.usedNs, sinceMs: nowMs, retryAtMs: Number.NEGATIVE_INFINITY, changedInRound: this.#round,
				}));
				if ((entry.usedNs >= busyNs || thread.isInJava) && nowMs >= entry.retryAtMs) {
					this.#open(entry, thread, nowMs);
				}
			}
		}

		this.#refusedThreads = 0;
		for (const [thread, entry] of this.#records) {
			const isUnchanged = entry.changedInRound !== this.#round && thread.hasValidRow && !entry.event;
			if (isUnchanged) {
				this.#age(entry, thread, nowMs);
			}

			// Keep a thread whose fresh records have not been counted.
			const isIdle = entry.usedNs < busyNs && nowMs - entry.sinceMs > idleMs && !thread.isInJava && entry.newStacks.length === 0;
			if (isIdle || (entry.changedInRound !== this.#round && !isUnchanged)) {
				this.#close(thread, entry);
				this.#records.delete(thread);
			} else if (nowMs < entry.retryAtMs) {
				this.#refusedThreads++;
			}
		}
	}

	/** Closes all events; busy threads will get new ones. */
	release(): void {
		for (const [thread, entry] of this.#records) {
			this.#close(thread, entry);
		}

		this.#records.clear();
	}

	/** Adds the thread's CPU time to its window; first starts a new one if that is over and the thread was not idle. */
	#age(entry: ThreadRecords, thread: JavaThread, nowMs: number): void {
		if (nowMs - entry.sinceMs > (entry.event ? idleMs : busyWithinMs) && entry.usedNs >= (entry.event ? busyNs : 1)) {
			entry.usedNs = 0;
			entry.sinceMs = nowMs;
		}

		entry.usedNs += thread.cpu.usedNs;
	}

	/** Opens an event for a thread, with the largest ring that the kernel permits. */
	#open(entry: ThreadRecords, thread: JavaThread, nowMs: number): void {
		for (let size = this.#nextSize(); size < ringSizes.length; size++) {
			const event = ThreadEvent.open(this.#calls, thread.nativeId, {size: ringSizes[size], withKernel: this.#withKernel, periodNs: this.#periodNs});
			if (typeof event !== 'number') {
				entry.event = event;
				thread.hasEvent = true;
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
		return this.#events >= maxEvents ? ringSizes.length : Math.max(this.#largest, smallerFrom.filter(count => this.#events >= count).length);
	}

	#close(thread: JavaThread, entry: ThreadRecords): void {
		thread.hasEvent = false;
		if (entry.event) {
			entry.event.close();
			entry.event = undefined;
			this.#events--;
		}
	}
}

/** `pages`: a power of two. */
type RingSize = {readonly stackBytes: number; readonly pages: number};

/**
Best first. Stacks usually have 6 to 8 KB, at most 21; a truncated copy still has the innermost frames. Each record
takes the space of a full copy, so `ringRecords` fit.
*/
export const ringSizes: readonly RingSize[] = [{stackBytes: 32_768, pages: 64}, {stackBytes: 8192, pages: 16}, {stackBytes: 2048, pages: 4}];

export const ringRecords = 7;

/** The shortest first period, as a fraction of a period: much shorter ones would fill the ring. */
const minFirstPeriod = 1 / 8;

type ThreadEventOptions = {
	readonly size: RingSize;
	readonly periodNs: number;
	readonly withKernel: boolean;
};

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
	readonly #firstNs: number;
	readonly #periodNs: number;
	#regularSinceNs = Number.POSITIVE_INFINITY;

	private constructor(calls: PerfCalls, fd: number, mapped: MappedRing, periods: {readonly firstNs: number; readonly periodNs: number}) {
		this.#calls = calls;
		this.#fd = fd;
		this.#mapped = mapped;
		this.#ring = new Ring(mapped.memory);
		this.#firstNs = periods.firstNs;
		this.#periodNs = periods.periodNs;
	}

	/** Removes all records and returns them. Not after `close`. */
	take(): readonly ThreadRecord[] {
		const {records, lost} = this.#ring.take();
		const isFirst = this.#regularSinceNs === Number.POSITIVE_INFINITY;
		// Until the regular period is set, further records follow at the first, shorter one.
		for (const [index, record] of records.entries()) {
			const periodNs = record.timeNs < this.#regularSinceNs && !(isFirst && index === 0) ? this.#firstNs : this.#periodNs;
			record.periodNs = periodNs * (records.length + lost) / records.length;
		}

		if (isFirst && records.length > 0) {
			// Once only, since setting the period restarts it.
			this.#calls.setPeriod(this.#fd, this.#periodNs);
			this.#regularSinceNs = monotonicNs();
		}

		return records;
	}

	close(): void {
		this.#calls.unmap(this.#mapped);
		this.#calls.close(this.#fd);
	}
}
