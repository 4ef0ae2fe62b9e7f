import {stateCode} from '../../../model/thread-state.js';
import {type JavaThread} from './java-thread.js';
import {javaThreadState} from './thread-block.js';

/**
Threads pause inside the VM all the time, for example at safepoints; one that does so for this long, milliseconds, is
waiting.
*/
const stalledAfterMs = 200;

/**
Whether a thread that the JVM calls RUNNABLE actually waits inside the VM, for example for a class's initialiser, memory
or a compiler: it keeps its stack and uses no CPU. Call in each sample; a collection stops all threads and does not
count.
*/
export function isStalled(thread: JavaThread, nowMs: number, isCollecting: () => boolean): boolean {
	if (!mayStall(thread) || isCollecting()) {
		thread.stalledSinceMs = Number.NaN;
		return false;
	}

	if (Number.isNaN(thread.stalledSinceMs)) {
		thread.stalledSinceMs = nowMs;
	}

	return nowMs - thread.stalledSinceMs >= stalledAfterMs;
}

/** Whether a thread will become stalled if it does not move. */
export function isAboutToStall({stalledSinceMs}: JavaThread, nowMs: number): boolean {
	return nowMs - stalledSinceMs < stalledAfterMs;
}

/** Whether a thread is RUNNABLE to the JVM but blocked in the VM, and has used no CPU. */
export function mayStall({block, state, frames, isCpuKnown, cpuNs}: JavaThread): boolean {
	return state === stateCode.RUNNABLE && block.state === javaThreadState.blocked && frames.length > 0 && isCpuKnown && cpuNs === 0;
}
