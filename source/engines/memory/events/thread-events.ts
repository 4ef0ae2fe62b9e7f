import {constants} from 'node:os';
import {type EventKind} from '../../../model/schema.js';
import {bounded, getOrCreate} from '../../../util/get-or-create.js';
import {sumOf} from '../../../util/sum.js';
import {joined, printable, safe, type Printable} from '../../../util/printable.js';
import {paranoid, refusalOf, type BreakpointCalls} from '../cpu/perf/perf-calls.js';
import {type PerfRecord} from '../cpu/perf/perf-ring.js';
import {type RecordedStack, type RecordedStacks} from '../cpu/perf/recorded-stack.js';
import {has} from '../hotspot/layout.js';
import {watchedFunctions, type Symbols} from '../hotspot/vm-structs.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type JavaThread} from '../threads/java-thread.js';
import {type Additions} from '../arch/architecture.js';
import {ownArchitecture} from '../target/own-architecture.js';
import {AllocatedBytes} from './allocated-bytes.js';
import {AllocationEstimate, type AllocationEvent} from './allocation-estimate.js';
import {Breakpoint, measureCost, type Watched} from './breakpoint.js';
import {DutyCycle} from './duty-cycle.js';

/** Breakpoints of all kinds and threads. More would take too much memory for rings. */
const maxBreakpoints = 64;

/** On how many threads breakpoints are opened at a time, so that many new threads do not delay samples. */
const maxOpenedAtOnce = 16;

/** How often the threads' sums are read, and breakpoints opened and closed. */
const readEveryMs = 200;

/** Weight of the newest reading in a thread's mean rate. */
const newestRateWeight = 1 / 4;

/** A thread that has not allocated for this long loses its breakpoints; many programs start threads once a minute. */
const inactiveMs: Readonly<Record<EventKind, number>> = {alloc: 10_000, exceptions: 10_000, starts: 120_000};

/** How long a thread counts as one that starts threads, and how often others get their breakpoints for starts. */
const startsWithinMs = 60_000;
const turnMs = 2000;

/** Shorter times are not measured exactly. */
const minOnMs = 1;

/** Maximum bytes of records kept for the next sample. */
const maxKeptBytes = 8 << 20;

const maxCodeAddresses = 1000;

/** A TLAB is full if at least this part of it is in use. */
const fullTlab = 3 / 4;

/** From this number of events on it is known whether a site is of TLABs. */
const leastEventsOfSite = 10;

const noteEveryMs = 3000;

const retryRefusedAfterMs = 5000;

/**
What events of a thread at a stack count for: bytes allocated, exceptions or starts. Without a stack, bytes of which no
event is known, perhaps below 0, or exceptions and starts whose stack could not be read.
*/
export type ThreadEvent = {
	readonly thread: JavaThread;
	readonly kind: EventKind;
	readonly amount: number;
	/** The sum of squares of what single events count for; of bytes, in kilobytes of 1000 bytes. */
	readonly squares: number;
	readonly stack?: RecordedStack;
};

type RecordedAllocation = AllocationEvent & {readonly stack: RecordedStack};

type WatchedThread = {
	readonly breakpoints: Map<EventKind, Breakpoint>;
	/** The thread's sum at the last reading. */
	bytes: number;
	/** The size of its next TLAB; 0 if unknown. */
	tlab: number;
	/** Events since then. */
	events: RecordedAllocation[];
	/** Mean bytes in a reading. */
	rate: number;
	readonly estimate: AllocationEstimate;
	/** The part of an exception, and of a start, that its events represent beyond those counted as whole numbers. */
	readonly parts: Record<CountedKind, number>;
	/** When it has last allocated, and started a thread. */
	activeMs: number;
	startedMs: number;
	/** Its place among those that take turns, 0..1, at random. */
	place: number;
	retryAtMs: number;
};

/** Kinds of which each event counts as one. */
type CountedKind = keyof typeof watchedFunctions;

export type SymbolsAndJvm = Jvm & {readonly symbols: Symbols};

/** `kinds`: at least one. */
type EventOptions = {readonly kinds: readonly EventKind[]; readonly maxOverheadPercent: number};

/** The code before an address; how many events it had, and how many of these were of full TLABs by their bytes. */
type Site = {readonly code: Uint8Array; events: number; ofFullTlabs: number};

/** A record, and how many times it counts: once for all events that it represents. */
type KeptRecord = {readonly kind: EventKind; readonly record: PerfRecord; readonly times: number};

/**
Where a target allocates, makes exceptions and starts threads, from breakpoints of the processor. Nothing of the target
is written or stopped.

`alloc`: on each thread's sum of allocated bytes. A thread adds to it when its TLAB is full and for each object outside
a TLAB, called from the Java frame that allocates. Each event counts for the bytes that it adds.

`exceptions`: on the function that records an exception's stack trace, for the same threads: an exception is allocated.

`starts`: on the function that starts a thread. Who starts threads may allocate little, so threads take turns until they
are seen to start one.
*/
export class ThreadEvents {
	/** Opens nothing yet but a breakpoint on our own thread, to measure its cost. Returns why it cannot be used. */
	static start(
		calls: BreakpointCalls,
		jvm: SymbolsAndJvm,
		stacks: RecordedStacks,
		options: EventOptions,
	): ThreadEvents | Printable {
		const bytes = new AllocatedBytes(jvm.vm);
		const {additions} = ownArchitecture;
		if (!additions) {
			return printable(`not on ${ownArchitecture.name}`);
		}

		if (!has(bytes.offset)) {
			return safe`this JVM's tables do not say what its threads allocate`;
		}

		const missing = Object.values(watchedFunctions).find(name => !jvm.symbols.has(name));
		if (missing) {
			return safe`this JVM does not export ${missing}`;
		}

		const measured = measureCost(calls);
		return 'errno' in measured
			? refusalOfBreakpoint(measured.errno)
			: new ThreadEvents(calls, jvm, {stacks, bytes, additions, costMs: measured.costMs, ...options});
	}

	readonly costMs: number;
	readonly #calls: BreakpointCalls;
	readonly #jvm: SymbolsAndJvm;
	readonly #stacks: RecordedStacks;
	readonly #bytes: AllocatedBytes;
	readonly #additions: Additions;
	readonly #kinds: readonly EventKind[];
	readonly #duty: DutyCycle;
	readonly #threads = new Map<JavaThread, WatchedThread>();
	/** By code address at which a thread has just added to its sum: there are a few. */
	readonly #sites = new Map<number, Site>();
	readonly #kept = new Map<JavaThread, KeptRecord[]>();
	#keptBytes = 0;
	#isOn = false;
	/** When the current slice began, and the one before ended. */
	#sliceStartMs = 0;
	#sliceEndMs = 0;
	#timer?: NodeJS.Timeout;
	#readAtMs = Number.NEGATIVE_INFINITY;
	/** What events have cost all threads since the last `poll`: at most the time that breakpoints were on. */
	#spentMs = 0;
	/** Threads with breakpoints. */
	#openCount = 0;
	/** Threads that lack a breakpoint, and the errno of the last refusal. */
	#refused = 0;
	#lastError = 0;
	/** Threads for which there is no breakpoint left, and when others got their turn. */
	#lacking = 0;
	#drawnMs = Number.NEGATIVE_INFINITY;
	#unknownCode = 0;
	#note = safe``;
	#noteUntilMs = 0;
	/** The sums have not been read yet, or not since `release`. */
	#isFirst = true;

	private constructor(
		calls: BreakpointCalls,
		jvm: SymbolsAndJvm,
		{stacks, bytes, additions, costMs, kinds, maxOverheadPercent}: EventOptions & {
			readonly stacks: RecordedStacks;
			readonly bytes: AllocatedBytes;
			readonly additions: Additions;
			readonly costMs: number;
		},
	) {
		this.#calls = calls;
		this.#jvm = jvm;
		this.#stacks = stacks;
		this.#bytes = bytes;
		this.#additions = additions;
		this.costMs = costMs;
		this.#kinds = kinds;
		this.#duty = new DutyCycle(maxOverheadPercent, costMs);
	}

	/** Returns what events cost and miss, for people. It changes every few seconds at most. */
	get note(): Printable {
		const {perS, share} = this.#duty;
		const nowMs = performance.now();
		if (nowMs < this.#noteUntilMs) {
			return this.#note;
		}

		const parts = [
			safe`costs ${Math.round(this.costMs * 1000)} us an event`,
			perS > 0 ? safe`${Number((perS * share).toPrecision(2))} events/s` : safe``,
			share < 1 ? safe`recorded ${Math.max(1, Math.round(100 * share))}% of the time` : safe``,
			this.#refused > 0
				? safe`${this.#refused} ${this.#refused === 1 ? 'thread' : 'threads'} not: ${refusalOfBreakpoint(this.#lastError)}`
				: safe``,
			this.#lacking > 0
				? safe`${this.#lacking} ${this.#lacking === 1 ? 'thread' : 'threads'} not: only ${this.#mostThreads} at a time`
				: safe``,
			this.#unknownCode > 0 ? safe`some not understood` : safe``,
		];
		this.#note = joined(parts.filter(Boolean), safe`, `);
		this.#noteUntilMs = nowMs + noteEveryMs;
		return this.#note;
	}

	/**
	Returns the events since they were last returned: bytes for the time `coveredMs`, others as they are recorded.
	`costMs`: what events have cost a thread since the last call, on average of those with a breakpoint.
	*/
	poll(threads: readonly JavaThread[], recordEvery: number): {
		readonly events: readonly ThreadEvent[];
		readonly coveredMs: number;
		readonly costMs: number;
	} {
		this.#duty.recordEvery = recordEvery;
		const nowMs = performance.now();
		const listed = new Set(threads);
		const events: ThreadEvent[] = [];
		for (const [thread, records] of this.#kept) {
			const entry = this.#threads.get(thread);
			if (entry && listed.has(thread)) {
				for (const record of records) {
					if (record.kind === 'alloc') {
						this.#walkAllocation(thread, entry, record);
					} else {
						events.push(this.#counted(thread, entry, record.kind, record));
					}
				}
			}
		}

		this.#kept.clear();
		this.#keptBytes = 0;
		let coveredMs = 0;
		if (nowMs - this.#readAtMs >= readEveryMs) {
			coveredMs = this.#isFirst ? 0 : nowMs - this.#readAtMs;
			this.#readAtMs = nowMs;
			events.push(...this.#readSums(threads, nowMs));
			this.#forgetEnded(listed);
			this.#chooseThreads(nowMs);
		}

		if (!this.#timer) {
			this.#sliceEndMs = nowMs;
			this.#nextCycle();
		}

		const costMs = this.#openCount > 0 ? this.#spentMs / this.#openCount : 0;
		this.#spentMs = 0;
		return {events, coveredMs, costMs};
	}

	/** Closes all breakpoints until the next `poll`. */
	release(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		for (const entry of this.#threads.values()) {
			this.#closeAll(entry);
		}

		this.#threads.clear();
		this.#isFirst = true;
		this.#readAtMs = Number.NEGATIVE_INFINITY;
		this.#kept.clear();
		this.#keptBytes = 0;
		this.#isOn = false;
	}

	/** Begins the next cycle: breakpoints are off for a time, on for a slice, and off again. */
	#nextCycle(): void {
		const [beforeMs, onMs, afterMs] = this.#duty.next();
		this.#after(beforeMs, () => {
			this.#setOn(true);
			this.#sliceStartMs = performance.now();
			this.#after(onMs, () => {
				this.#setOn(afterMs > 0 || beforeMs > 0 ? false : this.#isOn);
				this.#endSlice();
				this.#after(afterMs, () => {
					this.#nextCycle();
				});
			});
		});
	}

	#after(ms: number, action: () => void): void {
		if (ms === 0) {
			action();
			return;
		}

		this.#timer = setTimeout(action, ms);
		this.#timer.unref();
	}

	#setOn(isOn: boolean): void {
		if (isOn !== this.#isOn) {
			this.#isOn = isOn;
			for (const {breakpoints} of this.#threads.values()) {
				for (const breakpoint of breakpoints.values()) {
					breakpoint.setEnabled(isOn);
				}
			}
		}
	}

	/** Takes the records of a slice: each counts for the time since the slice before, too. */
	#endSlice(): void {
		const nowMs = performance.now();
		const onMs = Math.max(minOnMs, nowMs - this.#sliceStartMs);
		const timesLonger = Math.max(1, (nowMs - this.#sliceEndMs) / onMs);
		let events = 0;
		for (const [thread, entry] of this.#threads) {
			for (const [kind, breakpoint] of entry.breakpoints) {
				const taken = breakpoint.take(onMs);
				events += taken.events;
				entry.startedMs = kind === 'starts' && taken.events > 0 ? nowMs : entry.startedMs;
				this.#keep(thread, kind, {records: taken.records, times: timesLonger * taken.times});
			}
		}

		this.#sliceEndMs = nowMs;
		this.#spentMs += Math.min(events * this.costMs, onMs * this.#openCount);
		this.#duty.addSlice(events, onMs, nowMs);
	}

	#keep(
		thread: JavaThread,
		kind: EventKind,
		{records, times}: {readonly records: readonly PerfRecord[]; readonly times: number},
	): void {
		if (records.length > 0 && this.#keptBytes < maxKeptBytes) {
			const kept = getOrCreate(this.#kept, thread, () => []);
			for (const record of records) {
				kept.push({kind, record, times});
				this.#keptBytes += record.stack.length;
			}
		}
	}

	#counted(thread: JavaThread, {parts}: WatchedThread, kind: CountedKind, {record, times}: KeptRecord): ThreadEvent {
		const counted = parts[kind] + times;
		const amount = Math.round(counted);
		parts[kind] = counted - amount;
		const stack = this.#stacks.walk(record, thread, true);
		return {thread, kind, amount, squares: amount * amount, stack};
	}

	#walkAllocation(thread: JavaThread, {tlab, events}: WatchedThread, {record, times}: KeptRecord): void {
		const site = this.#siteOf(record.registers.pc);
		const added = this.#bytesOf(record, thread, site);
		const stack = added > 0 ? this.#stacks.walk(record, thread, true) : undefined;
		if (stack) {
			site.events++;
			site.ofFullTlabs += Number(added > fullTlab * tlab && added <= tlab);
			// Which sites are of TLABs is known after some events.
			const isTlab = tlab === 0 || isOfTlabs(site) || ![...this.#sites.values()].some(each => isOfTlabs(each));
			events.push({stack, times, added, ...(isTlab ? {} : {tlab})});
		}
	}

	#siteOf(pc: number): Site {
		return getOrCreate(bounded(this.#sites, maxCodeAddresses), pc, () => {
			const code = new Uint8Array(this.#additions.codeBytes);
			this.#jvm.memory.read(pc - code.length, code, 0, code.length);
			return {code, events: 0, ofFullTlabs: 0};
		});
	}

	/** Returns the bytes that an event added; 0 if that is unknown. */
	#bytesOf({general}: PerfRecord, {address}: JavaThread, {code}: Site): number {
		const added = this.#additions.addedBy(code, general, address + this.#bytes.offset);
		this.#unknownCode += Number(added === undefined);
		return added ?? 0;
	}

	/** Reads all threads' sums; returns what they have allocated since the last reading. */
	#readSums(threads: readonly JavaThread[], nowMs: number): ThreadEvent[] {
		const sums = this.#bytes.read(threads.map(({address}) => address));
		const allocations: ThreadEvent[] = [];
		for (const [index, thread] of threads.entries()) {
			const read = sums[index];
			if (read) {
				// A thread that has started since the first reading has allocated all of it in the session.
				const entry = getOrCreate(this.#threads, thread, (): WatchedThread => ({
					breakpoints: new Map(),
					bytes: this.#isFirst ? read.allocated : 0,
					tlab: read.tlab,
					events: [],
					rate: 0,
					estimate: new AllocationEstimate(),
					parts: {exceptions: 0, starts: 0},
					activeMs: nowMs,
					startedMs: Number.NEGATIVE_INFINITY,
					place: Math.random(),
					retryAtMs: Number.NEGATIVE_INFINITY,
				}));
				const grown = Math.max(0, read.allocated - entry.bytes);
				entry.tlab = read.tlab;
				entry.bytes += grown;
				entry.rate += (grown - entry.rate) * newestRateWeight;
				entry.activeMs = grown > 0 ? nowMs : entry.activeMs;
				if (this.#kinds.includes('alloc')) {
					allocations.push(...attributed(thread, entry, grown));
				}
			}
		}

		this.#isFirst = false;
		return allocations;
	}

	#forgetEnded(listed: ReadonlySet<JavaThread>): void {
		for (const [thread, entry] of this.#threads) {
			if (!listed.has(thread)) {
				this.#closeAll(entry);
				this.#threads.delete(thread);
			}
		}
	}

	/** The most threads that have breakpoints of a kind. */
	get #mostThreads(): number {
		return Math.floor(maxBreakpoints / this.#kinds.length);
	}

	/** Opens breakpoints of each kind for the threads that rank highest, and closes those of others. */
	#chooseThreads(nowMs: number): void {
		this.#takeTurns(nowMs);
		this.#lacking = 0;
		const chosen = new Map(this.#kinds.map(kind => [kind, this.#chosenFor(kind, nowMs)]));
		const isChosen = (kind: EventKind, entry: WatchedThread) => chosen.get(kind)?.has(entry) ?? false;
		for (const entry of this.#threads.values()) {
			for (const kind of entry.breakpoints.keys()) {
				if (!isChosen(kind, entry)) {
					this.#close(entry, kind);
				}
			}
		}

		let opened = 0;
		this.#refused = 0;
		for (const [thread, entry] of this.#threads) {
			const kinds = this.#kinds.filter(kind => isChosen(kind, entry));
			const missing = kinds.filter(kind => !entry.breakpoints.has(kind));
			if (missing.length > 0 && nowMs >= entry.retryAtMs && opened < maxOpenedAtOnce) {
				opened++;
				this.#open(thread, entry, missing, nowMs);
			}

			this.#refused += Number(kinds.length > 0 && nowMs < entry.retryAtMs);
		}
	}

	#takeTurns(nowMs: number): void {
		if (nowMs - this.#drawnMs >= turnMs) {
			this.#drawnMs = nowMs;
			for (const entry of this.#threads.values()) {
				entry.place = Math.random();
			}
		}
	}

	/** Returns the threads that get a breakpoint of a kind: of those that have allocated lately. */
	#chosenFor(kind: EventKind, nowMs: number): ReadonlySet<WatchedThread> {
		const active = [...this.#threads.values()].filter(({activeMs, rate}) =>
			rate > 0 && nowMs - activeMs < inactiveMs[kind]);
		this.#lacking = Math.max(this.#lacking, active.length - this.#mostThreads);
		const rankOf = kind === 'starts' ? (entry: WatchedThread) => rankAsStarter(entry, nowMs) : rateOf;
		return new Set(active.toSorted((a, b) => rankOf(b) - rankOf(a)).slice(0, this.#mostThreads));
	}

	#open(thread: JavaThread, entry: WatchedThread, kinds: readonly EventKind[], nowMs: number): void {
		const {breakpoints} = entry;
		const before = breakpoints.size;
		for (const kind of kinds) {
			const opened = Breakpoint.open(this.#calls, thread.nativeId, this.#watched(kind, thread));
			if (typeof opened !== 'number') {
				opened.setEnabled(this.#isOn);
				breakpoints.set(kind, opened);
			} else if (opened !== constants.errno.ESRCH) {
				this.#lastError = opened;
				entry.retryAtMs = nowMs + retryRefusedAfterMs;
			}
		}

		this.#openCount += Number(before === 0 && breakpoints.size > 0);
	}

	#watched(kind: EventKind, {address}: JavaThread): Watched {
		return kind === 'alloc'
			? {address: address + this.#bytes.offset}
			: {address: this.#jvm.symbols.get(watchedFunctions[kind])!, isCode: true};
	}

	#close({breakpoints}: WatchedThread, kind: EventKind): void {
		breakpoints.get(kind)?.close();
		this.#openCount -= Number(breakpoints.delete(kind) && breakpoints.size === 0);
	}

	#closeAll(entry: WatchedThread): void {
		for (const kind of entry.breakpoints.keys()) {
			this.#close(entry, kind);
		}
	}
}

function rateOf({rate}: WatchedThread): number {
	return rate;
}

/** Ranks threads that have started others lately before the rest, who take turns, those first that allocate now. */
function rankAsStarter({startedMs, activeMs, place}: WatchedThread, nowMs: number): number {
	return (2 * Number(nowMs - startedMs < startsWithinMs)) + Number(nowMs - activeMs < inactiveMs.alloc) + place;
}

/** Whether the code at an address counts full TLABs, not objects outside. */
function isOfTlabs({events, ofFullTlabs}: Site): boolean {
	return events >= leastEventsOfSite && ofFullTlabs > events / 2;
}

/** Returns what a thread's events of a reading count for; what it has `grown` by beyond them is without a stack. */
function attributed(thread: JavaThread, {events, estimate, breakpoints}: WatchedThread, grown: number): ThreadEvent[] {
	const ofReading = events.splice(0);
	// Without a breakpoint, it has allocated more than events can tell.
	const counted = estimate.count(ofReading, breakpoints.has('alloc') ? grown : undefined);
	const kind = 'alloc';
	const allocations: ThreadEvent[] = ofReading.map(({stack}, index) =>
		({thread, kind, amount: counted[index], squares: Math.ceil((counted[index] / 1000) ** 2), stack}));
	const sum = sumOf(counted, bytes => bytes);
	return grown === sum ? allocations : [...allocations, {thread, kind, amount: grown - sum, squares: 0}];
}

/** Returns why a breakpoint was refused, in words. */
function refusalOfBreakpoint(error: number): Printable {
	if (error === constants.errno.ENOSPC) {
		return safe`a debugger uses the processor's breakpoints`;
	}

	return error === constants.errno.EACCES
		? safe`kernel.perf_event_paranoid ${paranoid()} forbids it; run as root, or set it to 2`
		: refusalOf(error);
}
