import {type ObservedThreads} from '../observed-threads.js';
import {noStops, type Stopper, type Stops, sumOfStops} from '../target/stopper.js';
import {type JavaThread} from '../threads/java-thread.js';
import {type NewRecords, type RunningTimer} from '../timer/running-timer.js';
import {type RunningStacks} from './running-stacks.js';
import {type WaitingStacks} from './waiting-stacks.js';

/** Ways to read stacks: of threads that wait always, of running threads by perf events or stops, if possible. */
type Ways = {
	readonly waiting: WaitingStacks;
	/** Reads the stacks of running threads without stopping them; undefined if not permitted or not requested. */
	readonly perf?: RunningTimer;
	/** Both undefined if threads cannot be stopped. */
	readonly running?: RunningStacks;
	readonly stopper?: Stopper;
	/** Set if threads can be stopped and `perf` is not set. */
	readonly observed?: ObservedThreads;
};

/** Reads the stacks of threads, each in the way that suits its state. */
export class ThreadStacks {
	/** The stops of the sample in progress. */
	stops: Stops = noStops;
	readonly #ways: Ways;
	/** The timer's records for the next sample, if it was asked. */
	#newRecords: NewRecords = 'nothing';

	constructor(ways: Ways) {
		this.#ways = ways;
	}

	/** What the timer has recorded since the previous sample. */
	newRecords(): NewRecords {
		this.#newRecords = this.#newRecords === 'nothing' ? this.#ways.perf?.begin?.() ?? 'nothing' : this.#newRecords;
		return this.#newRecords;
	}

	/** Begins a sample, before threads are listed; returns what the timer has recorded. */
	begin(): NewRecords {
		this.stops = noStops;
		const records = this.newRecords();
		this.#newRecords = 'nothing';
		this.stops = this.#ways.observed?.begin() ?? noStops;
		return records;
	}

	/**
	Reads the stacks of threads that may have changed, those in Java code first because their blocks become stale first.
	Returns the estimated time that records cost their threads, milliseconds.
	*/
	read(awake: readonly JavaThread[], threads: readonly JavaThread[], hasNew: boolean): number {
		const {perf, observed} = this.#ways;
		const costMs = perf?.poll(awake, threads, hasNew).costMs ?? 0;
		observed?.listed(threads);
		const changed = awake.filter(thread => !thread.isUnchanged && !observed?.isCaught(thread));
		const inJava = changed.filter(thread => thread.isInJava);
		this.#walkRunning(inJava);
		const others = changed.filter(thread => !thread.isInJava && !inJava.includes(thread));
		this.#walkRunning(this.#walkWaiting(others));
		return costMs;
	}

	/** Resolves when no thread is held; events are closed until the next sample. */
	async release(): Promise<void> {
		this.#newRecords = 'nothing';
		this.#ways.perf?.release();
		await this.#ways.stopper?.release();
	}

	close(): void {
		this.#ways.perf?.release();
		this.#ways.stopper?.close();
		this.#ways.observed?.offCpu.close();
	}

	/** Walks threads that wait, or run in native code or in the VM; returns those found running Java code. */
	#walkWaiting(threads: readonly JavaThread[]): readonly JavaThread[] {
		const {waiting, observed} = this.#ways;
		return threads.filter(thread => !(observed ? observed.offCpu.around(thread, () => waiting.walk(thread)) : waiting.walk(thread)));
	}

	/** Takes the stacks of running threads from their newest records if they can have any; otherwise stops them. */
	#walkRunning(running: readonly JavaThread[]): void {
		const {perf, observed} = this.#ways;
		const threads = perf ? running.filter(thread => !perf.setCurrentStack(thread)) : running;
		if (this.#ways.running) {
			this.stops = threads.length > 0 ? sumOfStops(this.stops, this.#ways.running.walk(threads)) : this.stops;
			observed?.late(threads);
			return;
		}

		for (const thread of threads) {
			thread.frames = thread.frames.slice(0, 0);
			thread.end = 'broken';
			thread.setWalked(undefined);
		}
	}
}
