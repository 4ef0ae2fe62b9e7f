import {threadFlag} from '../../../model/sample.js';
import {type JavaThread} from '../threads/java-thread.js';
import {CpuRings} from './cpu-rings.js';
import {type PerfCalls} from './perf-calls.js';
import {recordMs, type Period} from './period.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {type ThreadRecord} from './records.js';
import {
	standAt, type Begun, type Recorded, type RunningTimer,
} from './running-timer.js';
import {newWakings, WakingCosts, type Wakings} from './wakings/costs.js';
import {addUsed, nothingOpen, shareOut, type OpenTime} from './weights.js';

/** A thread of which nothing was recorded for so long is looked at as seldom as others that rest. */
const restingMs = 2000;

/** Periods of CPU time that a thread may use without a record, by chance, before it is placed without one. */
const longestLuck = 8;

/** A thread of the process without Java frames (a collector) is tried again after so long: it may have ended since. */
const withoutFramesMs = 2000;

/** Part of a ring in use beyond which there is not room for twice as much. */
const roomy = 0.4;

/** After so long without a look all events are closed: nobody wants them. Samples are a minute apart at most. */
const forgottenMs = 90_000;

/** What is kept of a thread of which something was recorded, or that uses CPU time. */
type Watched = {
	last?: RecordedStack;
	fresh: readonly RecordedStack[];
	recordedAtMs: number;
	/** CPU time that it used less what its records stood for. */
	open: OpenTime;
	/** What no record can stand for; and its turns on a CPU at the look before. */
	readonly wakings: Wakings;
	readonly tid: number;
	turns: number;
	look: number;
};

const nothing: readonly RecordedStack[] = [];

/**
Gets the stacks of threads that run by events on the CPUs' clocks: each 10 ms a CPU records whom it runs. That is
complete from a thread's first instant to its last, and switching threads costs the target nothing more. Of other
processes that run there, nothing but the head of a record is read.
*/
export class CpuTimer implements RunningTimer {
	ended: readonly RecordedStack[] = nothing;
	readonly #calls: PerfCalls;
	readonly #pid: number;
	readonly #stacks: RecordedStacks;
	readonly #period: Period;
	readonly #costs: WakingCosts;
	readonly #watched = new Map<JavaThread, Watched>();
	/** Threads of the newest list by their ids; those without Java frames, until when. */
	readonly #byId = new Map<number, JavaThread>();
	readonly #withoutFrames = new Map<number, number>();
	#rings?: CpuRings;
	#taken = new Map<number, ThreadRecord[]>();
	#lost = 0;
	#fill = 0;
	#looks = 0;
	#timeout?: NodeJS.Timeout;

	/** `rings`: those of the process's CPUs, open. */
	constructor(calls: PerfCalls, rings: CpuRings, stacks: RecordedStacks, options: {readonly pid: number; readonly period: Period}) {
		this.#calls = calls;
		this.#pid = options.pid;
		this.#costs = new WakingCosts(calls, options.pid);
		this.#rings = rings;
		this.#stacks = stacks;
		this.#period = options.period;
	}

	begin(): Begun {
		let hasWoken = false;
		this.#rings ??= CpuRings.open(this.#calls, this.#pid, this.#period.ns);
		const {records, lost, fill} = this.#rings?.take() ?? {records: [], lost: 0, fill: 0};
		this.#lost = lost;
		this.#fill = fill;
		this.#taken = new Map();
		for (const record of records) {
			const {tid} = record;
			const others = this.#taken.get(tid);
			if (others) {
				others.push(record);
				continue;
			}

			this.#taken.set(tid, [record]);
			const thread = this.#byId.get(tid);
			if (thread) {
				// Its CPU time is read now, whether its block changes or not.
				thread.hasEvent = true;
				hasWoken ||= thread.isSettled;
				thread.isSettled = false;
			}
		}

		return hasWoken ? 'woken' : (this.#taken.size > 0 || lost > 0 ? 'records' : 'nothing');
	}

	look(awake: readonly JavaThread[], threads: readonly JavaThread[], hasNew: boolean): Recorded {
		this.#looks++;
		const nowMs = performance.now();
		if (hasNew || threads.length !== this.#byId.size) {
			this.#byId.clear();
			for (const thread of threads) {
				this.#byId.set(thread.nativeId, thread);
			}
		}

		for (const thread of awake) {
			if (thread.cpuNs > 0 && (thread.flags & threadFlag.compiler) === 0) {
				this.#addUsed(this.#watch(thread, nowMs), thread);
			}
		}

		const ended: RecordedStack[] = [];
		let count = 0;
		for (const [tid, records] of this.#taken) {
			const thread = this.#byId.get(tid);
			count += records.length;
			if (thread) {
				this.#take(thread, records, nowMs);
			} else {
				ended.push(...this.#walkEnded(tid, records, nowMs));
			}
		}

		this.ended = ended;
		this.#age(nowMs);
		this.#costs.weigh(this.#period.ns);
		this.#costs.measure(this.#watched.values(), nowMs);
		const costMs = this.#taken.size > 0 ? count * recordMs / this.#taken.size : 0;
		this.#taken = new Map();
		const isNew = this.#period.adapt(this.#lost, this.#fill < roomy);
		this.#rings?.setPeriod(this.#period.ns, nowMs, isNew);

		this.#forgetLater();
		return {costMs, lost: this.#lost};
	}

	stand(thread: JavaThread): boolean {
		standAt(thread, this.#watched.get(thread)?.last, stack => this.#stacks.isStillMounted(stack));
		return true;
	}

	get roomMs(): number {
		return (this.#rings?.room ?? 0) * this.#period.ns / 1e6;
	}

	recorded(thread: JavaThread): readonly RecordedStack[] {
		return this.#watched.get(thread)?.fresh ?? nothing;
	}

	awaitedNs(thread: JavaThread): number {
		if ((thread.flags & threadFlag.compiler) !== 0) {
			return 0;
		}

		return thread.frames.length === 0 && thread.end === 'broken' ? Infinity : longestLuck * this.#period.ns;
	}

	takeWaking(thread: JavaThread): number {
		const watched = this.#watched.get(thread);
		if (!watched) {
			return 0;
		}

		const {openNs} = watched.wakings;
		watched.wakings.openNs = 0;
		return openNs;
	}

	letGo(): void {
		clearTimeout(this.#timeout);
		this.#timeout = undefined;
		this.#rings?.close();
		this.#rings = undefined;
		this.#taken = new Map();
		for (const thread of this.#watched.keys()) {
			thread.hasEvent = false;
		}

		this.#costs.close();
		this.#watched.clear();
	}

	#watch(thread: JavaThread, nowMs: number): Watched {
		let watched = this.#watched.get(thread);
		if (!watched) {
			watched = {
				fresh: nothing, recordedAtMs: nowMs, open: {...nothingOpen}, wakings: newWakings(), tid: thread.nativeId, turns: thread.lifeTurns, look: 0,
			};
			this.#watched.set(thread, watched);
		}

		return watched;
	}

	#addUsed(watched: Watched, {cpuNs, lifeTurns, nativeId}: JavaThread): void {
		const turns = Math.max(0, lifeTurns - watched.turns);
		watched.turns = lifeTurns;
		addUsed(watched.open, cpuNs - this.#costs.take(watched.wakings, cpuNs, turns, this.#lost > 0 ? undefined : this.#taken.get(nativeId)?.length ?? 0));
	}

	#take(thread: JavaThread, records: readonly ThreadRecord[], nowMs: number): void {
		const stacks = records.map(record => this.#stacks.walk(record, thread.block)).filter(stack => stack !== undefined);
		if (stacks.length === 0) {
			return;
		}

		const watched = this.#watch(thread, nowMs);
		const last = this.#countable(watched, nowMs);
		const {lastNs, weightsNs} = shareOut(watched.open, stacks.length, this.#period.ns, last !== undefined);
		for (const [index, stack] of stacks.entries()) {
			stack.weightNs = weightsNs[index];
		}

		if (last) {
			last.weightNs = lastNs;
		}

		thread.hasEvent = true;
		watched.fresh = last ? [last, ...stacks] : stacks;
		watched.last = stacks.at(-1);
		watched.recordedAtMs = nowMs;
		watched.look = this.#looks;
	}

	/**
	The newest stack so far, if time still counts at it: not after a rest, nor for a virtual thread that is mounted no
	more.
	*/
	#countable({last, recordedAtMs}: Watched, nowMs: number): RecordedStack | undefined {
		const hasRested = nowMs - recordedAtMs > restingMs;
		return !last || hasRested || (last.carrierStart >= 0 && !this.#stacks.isStillMounted(last)) ? undefined : last;
	}

	/** Of a thread that is in no list any more, or never was in one. */
	#walkEnded(tid: number, records: readonly ThreadRecord[], nowMs: number): RecordedStack[] {
		if (nowMs < (this.#withoutFrames.get(tid) ?? 0)) {
			return [];
		}

		const stacks = records.map(record => this.#stacks.walk(record)).filter(stack => stack !== undefined);
		if (stacks.length === 0) {
			this.#withoutFrames.set(tid, nowMs + withoutFramesMs);
		}

		for (const stack of stacks) {
			stack.weightNs = this.#period.ns;
		}

		return stacks;
	}

	#age(nowMs: number): void {
		for (const [thread, watched] of this.#watched) {
			if (watched.look !== this.#looks) {
				watched.fresh = nothing;
			}

			// What is more than that counts without a record.
			addUsed(watched.open, 0, longestLuck * this.#period.ns);
			if (this.#byId.get(thread.nativeId) !== thread) {
				this.#watched.delete(thread);
				this.#costs.forget(watched.wakings, nowMs);
			} else if (thread.hasEvent && nowMs - watched.recordedAtMs > restingMs && !thread.isInJava) {
				thread.hasEvent = false;
			}
		}

		for (const [tid, untilMs] of this.#withoutFrames) {
			if (nowMs >= untilMs) {
				this.#withoutFrames.delete(tid);
			}
		}
	}

	#forgetLater(): void {
		this.#timeout ??= setTimeout(() => {
			this.letGo();
		}, forgottenMs).unref();
		this.#timeout.refresh();
	}
}
