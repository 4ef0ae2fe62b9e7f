import {type Methods} from '../hotspot/methods.js';
import {type JavaThread} from '../threads/java-thread.js';
import {type RecordedStack} from './recorded-stack.js';

/** What the timer did for a sample. */
export type Recorded = {
	/** The time that records took the threads they are of, milliseconds: the mean over these threads, an estimate. */
	readonly costMs: number;
	readonly lost: number;
};

/** What was recorded of the process since the sample before: nothing; something; of a thread that was at rest, too. */
export type Begun = 'nothing' | 'records' | 'woken';

/** Gets the stacks of threads that run from records that the kernel writes, without stopping anybody. */
export type RunningTimer = {
	/** Stacks recorded since the previous sample of threads that have ended since; none where nobody knows of them. */
	readonly ended: readonly RecordedStack[];
	/** For how long there is room for the records of threads that run all the time, milliseconds. */
	readonly roomMs: number;
	/**
	Begins a sample, before the threads are listed and their CPU times are read. Whether there are records of the process,
	and of a thread that was at rest.
	*/
	begin?(): Begun;
	/**
	Takes all records and walks their stacks. `awake`: the threads that are not settled, of `threads`, which are others
	than in the sample before only where `hasNew`, or fewer.
	*/
	look(awake: readonly JavaThread[], threads: readonly JavaThread[], hasNew: boolean): Recorded;
	/**
	Gives a thread that executes Java code, and so keeps no anchor, the stack of its newest record, or an unknown one
	before there is any; false for one that can have no records.
	*/
	stand(thread: JavaThread): boolean;
	/** The stacks that a thread used CPU time at since the previous sample. */
	recorded(thread: JavaThread): readonly RecordedStack[];
	/**
	CPU nanoseconds of a thread that are not to be placed yet, as records for them may come. 0 for one that has none,
	Infinity before its stack is known.
	*/
	awaitedNs(thread: JavaThread, methods: Methods): number;
	/**
	CPU nanoseconds that a thread which waits now has used in waking up, where no record can meet it, and that count where
	it waits; they are not given again. Missing where nobody knows.
	*/
	takeWaking?(thread: JavaThread): number;
	/** Closes all events, until the next look. */
	letGo(): void;
};

/** Gives a thread the newest stack recorded, if there is one. */
export function standAt(thread: JavaThread, last: RecordedStack | undefined, isStillMounted: (stack: RecordedStack) => boolean): void {
	thread.setWalked(undefined);
	thread.isHeapMissing = last?.isHeapMissing ?? false;
	thread.end = last?.end ?? 'broken';
	thread.frames = last?.frames ?? thread.frames.slice(0, 0);
	// The frames of a virtual thread that is gone, or may be, count for its carrier.
	thread.carrierStart = last && last.carrierStart >= 0 && isStillMounted(last) ? last.carrierStart : -1;
}
