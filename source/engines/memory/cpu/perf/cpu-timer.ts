import {threadFlag} from '../../../../model/sample.js';
import {type UnattributedReason} from '../../../common/engine.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {CpuRings} from './cpu-rings.js';
import {type PerfCalls} from './perf-calls.js';
import {recordMs} from './period.js';
import {type RecordedStack, type RecordedStacks} from './recorded-stack.js';
import {setCurrentStack, type RunningTimer} from './running-timer.js';
import {type ThreadRecord} from './ring.js';

/** For this long after its last record, a thread is read in every sample. */
const idleAfterMs = 2000;

/** For this long, records of a thread id without Java frames (a collector's) are skipped; the id may be reused. */
const withoutFramesMs = 2000;

/** Maximum number of stack pointers kept. */
const stackPointerLimit = 1000;

/** For this many samples after records were lost, that is the reason for unattributed CPU time. */
const lossSamples = 500;

/** Records of a thread: the newest stack, and the stacks of the newest sample. */
type Watched = {
	last: RecordedStack;
	fresh: readonly RecordedStack[];
	recordedAtMs: number;
	sample: number;
};

const nothing: readonly RecordedStack[] = [];

/**
Takes the stacks of running threads from events on the CPUs' clocks: every 10 ms a CPU records what it runs. This covers
threads from start to end and adds no cost to context switches. Of other processes' records only the header is read.
*/
export class CpuTimer implements RunningTimer {
	ended: readonly RecordedStack[] = nothing;
	/** See `RunningTimer`. */
	readonly stackPointers = new Map<number, number>();
	/** The last sample with lost records. */
	#lostAtSample = Number.NEGATIVE_INFINITY;
	readonly #calls: PerfCalls;
	readonly #pid: number;
	readonly #stacks: RecordedStacks;
	readonly #periodNs: number;
	readonly #watched = new Map<JavaThread, Watched>();
	/** Threads of the newest list by Linux id; and ids without Java frames, until when they are skipped. */
	readonly #byId = new Map<number, JavaThread>();
	readonly #withoutFrames = new Map<number, number>();
	#rings?: CpuRings;
	#taken = new Map<number, ThreadRecord[]>();
	#lost = 0;
	#samples = 0;

	/** `rings`: of the process's CPUs, open. */
	constructor(calls: PerfCalls, rings: CpuRings, stacks: RecordedStacks, options: {readonly pid: number; readonly periodNs: number}) {
		this.#calls = calls;
		this.#pid = options.pid;
		this.#rings = rings;
		this.#stacks = stacks;
		this.#periodNs = options.periodNs;
	}

	begin(): boolean {
		let hasWoken = false;
		this.#rings ??= CpuRings.open(this.#calls, this.#pid, this.#periodNs);
		const {records, lost} = this.#rings?.take() ?? {records: [], lost: 0};
		this.#lost = lost;
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
				// Read its CPU time in this sample even if its block is unchanged.
				thread.hasEvent = true;
				hasWoken ||= thread.hasValidRow;
				thread.hasValidRow = false;
			}
		}

		return hasWoken;
	}

	poll(_awake: readonly JavaThread[], threads: readonly JavaThread[], hasNew: boolean): number {
		this.#samples++;
		this.#lostAtSample = this.#lost > 0 ? this.#samples : this.#lostAtSample;
		const nowMs = performance.now();
		if (hasNew || threads.length !== this.#byId.size) {
			this.#byId.clear();
			for (const thread of threads) {
				this.#byId.set(thread.nativeId, thread);
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
				this.stackPointers.set(tid, records[0].registers.sp);
				ended.push(...this.#walkEnded(tid, records, nowMs));
			}
		}

		this.ended = ended;
		if (this.stackPointers.size > stackPointerLimit) {
			this.stackPointers.clear();
		}

		this.#age(nowMs);
		const costMs = this.#taken.size > 0 ? count * recordMs / this.#taken.size : 0;
		this.#taken = new Map();
		this.#rings?.follow(nowMs, hasNew);
		return costMs;
	}

	setCurrentStack(thread: JavaThread): boolean {
		setCurrentStack(thread, this.#watched.get(thread)?.last, stack => this.#stacks.isStillMounted(stack));
		return true;
	}

	get unattributed(): UnattributedReason {
		return this.#samples - this.#lostAtSample < lossSamples ? 'lost' : 'wakeUps';
	}

	get roomMs(): number {
		return (this.#rings?.room ?? 0) * this.#periodNs / 1e6;
	}

	get finding(): string {
		return this.#rings?.finding ?? '';
	}

	recorded(thread: JavaThread): readonly RecordedStack[] {
		return this.#watched.get(thread)?.fresh ?? nothing;
	}

	release(): void {
		this.#rings?.close();
		this.#rings = undefined;
		this.#taken = new Map();
		for (const thread of this.#watched.keys()) {
			thread.hasEvent = false;
		}

		this.#watched.clear();
	}

	#take(thread: JavaThread, records: readonly ThreadRecord[], nowMs: number): void {
		if ((thread.description.flags & threadFlag.compiler) !== 0) {
			return;
		}

		const stacks = records.map(record => this.#stacks.walk(record, thread)).filter(stack => stack !== undefined);
		if (stacks.length === 0) {
			return;
		}

		thread.hasEvent = true;
		this.#watched.set(thread, {last: stacks.at(-1)!, fresh: stacks, recordedAtMs: nowMs, sample: this.#samples});
	}

	/** Walks the records of a thread that has ended or was never listed. */
	#walkEnded(tid: number, records: readonly ThreadRecord[], nowMs: number): RecordedStack[] {
		if (nowMs < (this.#withoutFrames.get(tid) ?? 0)) {
			return [];
		}

		const stacks = records.map(record => this.#stacks.walk(record)).filter(stack => stack !== undefined);
		if (stacks.length === 0) {
			this.#withoutFrames.set(tid, nowMs + withoutFramesMs);
		}

		return stacks;
	}

	#age(nowMs: number): void {
		for (const [thread, watched] of this.#watched) {
			if (watched.sample !== this.#samples) {
				watched.fresh = nothing;
			}

			if (this.#byId.get(thread.nativeId) !== thread) {
				this.#watched.delete(thread);
			} else if (thread.hasEvent && nowMs - watched.recordedAtMs > idleAfterMs && !thread.isInJava) {
				thread.hasEvent = false;
			}
		}

		for (const [tid, untilMs] of this.#withoutFrames) {
			if (nowMs >= untilMs) {
				this.#withoutFrames.delete(tid);
			}
		}
	}
}
