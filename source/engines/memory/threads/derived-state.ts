import {stateCode} from '../../../model/thread-state.js';
import {type Methods} from '../hotspot/methods.js';
import {javaThreadState} from '../hotspot/thread-block.js';
import {stateOfStatus, waitKindOfStatus, type WaitKind} from '../hotspot/thread-object.js';
import {type JavaThread} from './java-thread.js';

/** Methods that wait: the top frames of waiting threads. */
const waitMethods = new Map<string, WaitKind>([
	['java.lang.Object.wait', 'wait'],
	['java.lang.Object.wait0', 'wait'],
	['java.lang.Thread.sleep', 'sleep'],
	['java.lang.Thread.sleep0', 'sleep'],
	// The caller of the native method: a safepoint may delay the thread before or after the native call.
	['java.lang.Thread.sleepNanos', 'sleep'],
	['java.lang.Thread.sleepNanos0', 'sleep'],
	['sun.misc.Unsafe.park', 'park'],
	['jdk.internal.misc.Unsafe.park', 'park'],
]);

/** Returns how a thread waits, from its VM structures and its top frame. */
export function waitKind(thread: JavaThread, methods: Methods): WaitKind {
	const {block, stack: {frames}} = thread;
	if (block.state !== javaThreadState.blocked || frames.length === 0) {
		return 'none';
	}

	const method = methods.ofFrame(frames[0]);
	const kind = method && waitMethods.get(`${method.className}.${method.name}`);
	return kind ?? (block.pendingMonitor === 0 ? 'none' : 'enter');
}

/**
Returns a thread's state code when its status in the heap may be stale (concurrent collectors): uses the status only if
it agrees with the kind of wait that the thread's own structures show. `status`: undefined if unreadable.
*/
export function derivedState(thread: JavaThread, methods: Methods, status: number | undefined): number {
	const kind = waitKind(thread, methods);
	if (status !== undefined && waitKindOfStatus(status) === kind) {
		const state = stateOfStatus(status);
		return kind === 'none' && state !== stateCode.TERMINATED ? stateCode.RUNNABLE : state;
	}

	if (kind === 'none') {
		return stateCode.RUNNABLE;
	}

	return kind === 'enter'
		? stateCode.BLOCKED
		: (isTimed(thread, methods, kind) ? stateCode.TIMED_WAITING : stateCode.WAITING);
}

/**
Whether a wait has a timeout, judging by its caller: Object.wait() calls wait(0), which from JDK 19 on calls the native
wait0; of the methods that park, only LockSupport.park() has no timeout.
*/
function isTimed(thread: JavaThread, methods: Methods, kind: WaitKind): boolean {
	if (kind === 'park') {
		return !isNamed(thread, methods, 1, 'park');
	}

	const wait = isNamed(thread, methods, 0, 'wait0') ? 1 : 0;
	return kind === 'sleep' || !isNamed(thread, methods, wait + 1, 'wait');
}

/** Whether the method of a thread's `index`-th frame has a name. */
function isNamed({stack: {frames}}: JavaThread, methods: Methods, index: number, name: string): boolean {
	return index < frames.length && methods.ofFrame(frames[index])?.name === name;
}

/** Whether a thread is RUNNABLE to the JVM but blocked in the VM, and has used no CPU time. */
export function mayStall({block, description: {state}, stack: {frames}, cpu}: JavaThread): boolean {
	return state === stateCode.RUNNABLE && block.state === javaThreadState.blocked && frames.length > 0 && cpu.isZero;
}
