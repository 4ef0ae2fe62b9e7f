import {type UnattributedReason} from '../../../common/engine.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {monotonicNs} from './period.js';
import {type RecordedStack} from './recorded-stack.js';

/** Takes the stacks of running threads from kernel records, without stopping them. */
export type RunningTimer = {
	/** Stacks of ended threads, recorded since the previous sample. */
	readonly ended: readonly RecordedStack[];
	/** Why CPU time may be missing from the records. */
	readonly unattributed: UnattributedReason;
	/** Milliseconds until a continuously running thread fills its buffer. */
	readonly bufferMs: number;
	/** A printable line about threads without records; empty if all have records. */
	readonly finding?: string;
	/** Stack pointers from the newest records of non-Java threads, by Linux id. */
	readonly stackPointers?: ReadonlyMap<number, number>;
	/** Begins a sample, before threads and CPU times are read. Returns whether an unchanged thread has records. */
	begin?(): boolean;
	/**
	Takes and walks all records. `awake`: threads that may have changed; `hasNew`: `threads` contains new ones. Returns
	the estimated recording overhead, milliseconds, averaged over the recorded threads.
	*/
	poll(awake: readonly JavaThread[], threads: readonly JavaThread[], hasNew: boolean): number;
	/**
	Sets the stack of a thread in Java code, which has no anchor, to its newest record's, or to an unknown one. Returns
	false if the thread has no event.
	*/
	setCurrentStack(thread: JavaThread): boolean;
	/** Returns a thread's stacks recorded since the previous sample. */
	recorded(thread: JavaThread): readonly RecordedStack[];
	/** Closes all events until the next sample. */
	release(): void;
};

/** A newest record is current for this long, and after that as long as the thread uses no CPU. */
const staleNs = 1e9;

/** Sets a thread's stack to its newest record, or to an unknown one if that is missing or stale. */
export function setCurrentStack(thread: JavaThread, newest: RecordedStack | undefined, isStillMounted: (stack: RecordedStack) => boolean): void {
	if (newest && thread.cpu.usedNs > 0 && monotonicNs() - newest.timeNs > staleNs) {
		newest.isStale = true;
	}

	const current = newest?.isStale ? undefined : newest;
	thread.stack.setWalked(undefined);
	thread.stack.isHeapMissing = current?.isHeapMissing ?? false;
	thread.stack.end = current?.end ?? 'broken';
	thread.stack.frames = current?.frames ?? thread.stack.frames.slice(0, 0);
	// If the virtual thread may have been unmounted, its frames count for the carrier.
	thread.stack.carrierStart = current && current.carrierStart >= 0 && isStillMounted(current) ? current.carrierStart : -1;
}
