import {type UnattributedReason} from '../../../common/engine.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {monotonicNs} from './period.js';
import {type RecordedStack} from './recorded-stack.js';

/** Takes the stacks of running threads from kernel records, without stopping them. */
export type RunningTimer = {
	/** Stacks recorded since the previous sample of threads that have ended. */
	readonly ended: readonly RecordedStack[];
	/** Why CPU time may be missing from the records. */
	readonly unattributed: UnattributedReason;
	/** For how long the records of threads that run all the time fit, milliseconds. */
	readonly roomMs: number;
	/** What has no records, as a printable line; empty if everything has. */
	readonly finding?: string;
	/** Stack pointers of threads that are not Java's, by Linux id, from their newest records. */
	readonly stackPointers?: ReadonlyMap<number, number>;
	/** Begins a sample, before threads are listed and CPU times read; returns whether an idle thread was recorded running. */
	begin?(): boolean;
	/**
	Takes and walks all records. `awake`: threads that may have changed; `hasNew`: `threads` has new ones. Returns the
	estimated time that records cost their threads, milliseconds: the mean over these threads.
	*/
	poll(awake: readonly JavaThread[], threads: readonly JavaThread[], hasNew: boolean): number;
	/**
	Sets the stack of a thread in Java code, which has no anchor, to that of its newest record, or to an unknown one.
	False if the thread can have no records.
	*/
	setCurrentStack(thread: JavaThread): boolean;
	/** Stacks recorded of a thread since the previous sample. */
	recorded(thread: JavaThread): readonly RecordedStack[];
	/** Closes all events until the next sample. */
	release(): void;
};

/** For this long a newest record is taken as current; after that only if the thread has used no CPU since. */
const staleNs = 1e9;

/** Sets a thread's stack to its newest record, or to an unknown one if that is missing or stale. */
export function setCurrentStack(thread: JavaThread, newest: RecordedStack | undefined, isStillMounted: (stack: RecordedStack) => boolean): void {
	if (newest && thread.cpu.usedNs > 0 && monotonicNs() - newest.timeNs > staleNs) {
		newest.isStale = true;
	}

	const last = newest?.isStale ? undefined : newest;
	thread.stack.setWalked(undefined);
	thread.stack.isHeapMissing = last?.isHeapMissing ?? false;
	thread.stack.end = last?.end ?? 'broken';
	thread.stack.frames = last?.frames ?? thread.stack.frames.slice(0, 0);
	// Frames of a virtual thread that may be unmounted count for the carrier.
	thread.stack.carrierStart = last && last.carrierStart >= 0 && isStillMounted(last) ? last.carrierStart : -1;
}
