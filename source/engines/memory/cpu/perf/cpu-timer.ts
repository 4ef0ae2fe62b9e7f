import {safe, type Printable} from '../../../../util/printable.js';
import {threadFlag} from '../../../../model/sample.js';
import {type UnattributedReason} from '../../../common/engine.js';
import {bounded} from '../../../../util/get-or-create.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {CpuRings} from './cpu-rings.js';
import {type PerfCalls} from './perf-calls.js';
import {recordCostMs, setCurrentStack, type PerfTimer} from './perf-timer.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {type PerfRecord} from './perf-ring.js';

/** How long after its last record a thread counts as recorded. */
const recordedForMs = 2000;

const forgetEveryMs = 100;

/** How long to skip records of a thread without Java frames (a collector): not forever, as thread ids are reused. */
const skipMs = 2000;

const maxStackPointers = 1000;

/** How long a loss of records explains unattributed CPU time. */
const explainedByLossMs = 10_000;

type StacksOfThread = {
	/** The newest recorded stack. */
	readonly newest: RecordedStack;
	/** When `newest` was taken. */
	readonly takenAtMs: number;
	/** The stacks of the current sample. */
	newStacks: readonly RecordedStack[];
};

/**
Takes the stacks of running threads from events on the CPUs' clocks: each CPU records what it runs every 10 ms. This
covers threads from start to end and adds no cost to context switches. Only the headers of other processes' records are
read.
*/
export class CpuTimer implements PerfTimer {
	endedStacks: readonly RecordedStack[] = [];
	readonly stackPointers = new Map<number, number>();
	/** When records were last found to be lost. */
	#lostAtMs = Number.NEGATIVE_INFINITY;
	readonly #calls: PerfCalls;
	readonly #pid: number;
	readonly #stacks: RecordedStacks;
	readonly #shortestNs: number;
	#periodNs: number;
	readonly #threadStacks = new Map<JavaThread, StacksOfThread>();
	/** Those with stacks of the newest sample. */
	#withNewStacks: StacksOfThread[] = [];
	#forgetAtMs = 0;
	/** The Java threads of the newest sample, by Linux id. */
	readonly #threadByTid = new Map<number, JavaThread>();
	/** By Linux id: until when to skip a thread without Java frames. */
	readonly #skippedUntilMs = new Map<number, number>();
	/** Undefined after `release`, until the next sample. */
	#rings?: CpuRings;
	/** Records taken by `begin`, for `poll`. */
	#recordsByTid = new Map<number, PerfRecord[]>();

	constructor(
		calls: PerfCalls,
		rings: CpuRings,
		stacks: RecordedStacks,
		options: {readonly pid: number; readonly periodNs: number},
	) {
		this.#calls = calls;
		this.#pid = options.pid;
		this.#rings = rings;
		this.#stacks = stacks;
		this.#shortestNs = options.periodNs;
		this.#periodNs = options.periodNs;
	}

	begin(): boolean {
		let settledThreadRan = false;
		const rings = this.#rings ?? CpuRings.open(this.#calls, this.#pid, this.#periodNs);
		this.#rings = typeof rings === 'string' ? undefined : rings;
		const {records, lost} = this.#rings?.take() ?? {records: [], lost: 0};
		this.#lostAtMs = lost > 0 ? performance.now() : this.#lostAtMs;
		this.#recordsByTid = new Map();
		for (const record of records) {
			const {tid} = record;
			const earlier = this.#recordsByTid.get(tid);
			if (earlier) {
				earlier.push(record);
				continue;
			}

			this.#recordsByTid.set(tid, [record]);
			const thread = this.#threadByTid.get(tid);
			if (thread) {
				// So that this sample reads its CPU time even if its block is unchanged.
				settledThreadRan ||= thread.isSettled;
				thread.records.setRecorded(true);
			}
		}

		return settledThreadRan;
	}

	poll(_changedThreads: readonly JavaThread[], threads: readonly JavaThread[], hasNewThreads: boolean): number {
		const nowMs = performance.now();
		if (hasNewThreads || threads.length !== this.#threadByTid.size) {
			this.#threadByTid.clear();
			for (const thread of threads) {
				this.#threadByTid.set(thread.nativeId, thread);
			}
		}

		for (const stacks of this.#withNewStacks) {
			stacks.newStacks = [];
		}

		this.#withNewStacks = [];
		const endedStacks: RecordedStack[] = [];
		let recordCount = 0;
		for (const [tid, records] of this.#recordsByTid) {
			const thread = this.#threadByTid.get(tid);
			recordCount += records.length;
			if (thread) {
				this.#walk(thread, records, nowMs);
			} else {
				bounded(this.stackPointers, maxStackPointers).set(tid, records.at(-1)!.registers.sp);
				endedStacks.push(...this.#walkUnlisted(tid, records, nowMs));
			}
		}

		this.endedStacks = endedStacks;
		if (nowMs >= this.#forgetAtMs) {
			this.#forgetAtMs = nowMs + forgetEveryMs;
			this.#forgetOld(nowMs);
		}

		const costMs = this.#recordsByTid.size > 0 ? recordCount * recordCostMs / this.#recordsByTid.size : 0;
		this.#recordsByTid = new Map();
		this.#rings?.updateCpus(nowMs, hasNewThreads);
		return costMs;
	}

	setCurrentStack(thread: JavaThread): boolean {
		setCurrentStack(thread, this.#threadStacks.get(thread)?.newest, stack => this.#stacks.isStillMounted(stack));
		return true;
	}

	get unattributed(): UnattributedReason {
		return performance.now() - this.#lostAtMs < explainedByLossMs ? 'lost' : 'wakeUps';
	}

	get bufferMs(): number {
		return (this.#rings?.ringRecords ?? 0) * this.#periodNs / 1e6;
	}

	get unrecordedNote(): Printable {
		return this.#rings?.unrecordedNote ?? safe``;
	}

	recordEvery(times: number): void {
		const periodNs = this.#shortestNs * times;
		if (periodNs !== this.#periodNs) {
			this.#periodNs = periodNs;
			this.#rings?.setPeriod(periodNs);
		}
	}

	newStacks(thread: JavaThread): readonly RecordedStack[] {
		return this.#threadStacks.get(thread)?.newStacks ?? [];
	}

	release(): void {
		this.#rings?.close();
		this.#rings = undefined;
		this.#recordsByTid = new Map();
		for (const thread of this.#threadStacks.keys()) {
			thread.records.setRecorded(false);
		}

		this.#threadStacks.clear();
		this.#withNewStacks = [];
	}

	#walk(thread: JavaThread, records: readonly PerfRecord[], nowMs: number): void {
		// Compiler threads have no Java frames.
		if ((thread.description.flags & threadFlag.compiler) !== 0) {
			return;
		}

		const stacks = records.map(record => this.#stacks.walk(record, thread)).filter(stack => stack !== undefined);
		if (stacks.length === 0) {
			return;
		}

		thread.records.setRecorded(true);
		const threadStacks = {newest: stacks.at(-1)!, takenAtMs: nowMs, newStacks: stacks};
		this.#threadStacks.set(thread, threadStacks);
		this.#withNewStacks.push(threadStacks);
	}

	/** Walks the records of a thread that is no Java thread, or has ended. */
	#walkUnlisted(tid: number, records: readonly PerfRecord[], nowMs: number): RecordedStack[] {
		if (nowMs < (this.#skippedUntilMs.get(tid) ?? 0)) {
			return [];
		}

		const stacks = records.map(record => this.#stacks.walk(record)).filter(stack => stack !== undefined);
		if (stacks.length === 0) {
			this.#skippedUntilMs.set(tid, nowMs + skipMs);
		}

		return stacks;
	}

	#forgetOld(nowMs: number): void {
		for (const [thread, stacks] of this.#threadStacks) {
			if (this.#threadByTid.get(thread.nativeId) !== thread) {
				this.#threadStacks.delete(thread);
			} else if (nowMs - stacks.takenAtMs > recordedForMs && !thread.isInJava) {
				thread.records.setRecorded(false);
			}
		}

		for (const [tid, untilMs] of this.#skippedUntilMs) {
			if (nowMs >= untilMs) {
				this.#skippedUntilMs.delete(tid);
			}
		}
	}
}
