import {stateCode} from '../../../model/thread-state.js';
import {type JavaThread} from './java-thread.js';
import {javaThreadState} from './thread-block.js';

/**
Threads stand still inside the VM for moments all the time, at safepoints for instance; one that does for so long waits
there.
*/
const stalledAfterMs = 200;

/**
Whether a thread that the JVM calls RUNNABLE waits inside the VM in truth: most often for another thread to finish a
class's initialiser (those that wait for each other do so for ever), also for memory or a compiler. It keeps its stack
and uses no CPU meanwhile. Asked in each sample; not while a collection stops all threads alike.
*/
export function isStalled(thread: JavaThread, nowMs: number, isCollecting: boolean): boolean {
	if (!mayStall(thread) || isCollecting) {
		thread.standsStillSinceMs = Number.NaN;
		return false;
	}

	if (Number.isNaN(thread.standsStillSinceMs)) {
		thread.standsStillSinceMs = nowMs;
	}

	return nowMs - thread.standsStillSinceMs >= stalledAfterMs;
}

/** Whether it shows with time alone that a thread which stands still is stalled. */
export function isAboutToStall({standsStillSinceMs}: JavaThread, nowMs: number): boolean {
	return nowMs - standsStillSinceMs < stalledAfterMs;
}

/** Whether a thread is RUNNABLE to the JVM, waits inside the VM, and has used no CPU. */
export function mayStall({block, state, frames, isCpuKnown, cpuNs}: JavaThread): boolean {
	return state === stateCode.RUNNABLE && block.state === javaThreadState.blocked && frames.length > 0 && isCpuKnown && cpuNs === 0;
}
