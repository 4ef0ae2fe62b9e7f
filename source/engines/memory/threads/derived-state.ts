import {stateCode} from '../../../model/thread-state.js';
import {type Methods} from '../hotspot/methods.js';
import {type JavaThread} from './java-thread.js';
import {javaThreadState} from './thread-block.js';
import {stateOfStatus, waitKindOfStatus, type WaitKind} from './thread-object.js';

/** Methods in which a thread waits, whatever they are called by: names of the native methods by JDK. */
const waits = new Map<string, WaitKind>([
	['java.lang.Object.wait', 'wait'],
	['java.lang.Object.wait0', 'wait'],
	['java.lang.Thread.sleep', 'sleep'],
	['java.lang.Thread.sleep0', 'sleep'],
	// The caller of the native method, held up by a safepoint before or after the call.
	['java.lang.Thread.sleepNanos', 'sleep'],
	['java.lang.Thread.sleepNanos0', 'sleep'],
	['sun.misc.Unsafe.park', 'park'],
	['jdk.internal.misc.Unsafe.park', 'park'],
]);

/** How a thread waits, from its own structures and its top frame. */
export function waitKind(thread: JavaThread, methods: Methods): WaitKind {
	const {block, frames} = thread;
	if (block.state !== javaThreadState.blocked || frames.length === 0) {
		return 'none';
	}

	const method = methods.ofFrame(frames[0]);
	const known = method && waits.get(`${method.className}.${method.name}`);
	return known ?? (block.pendingMonitor === 0 ? 'none' : 'enter');
}

/**
State code where the thread's own object may be out of date (collectors that move objects beside the program): what its
status says counts only if it is the same kind of waiting that the thread's structures show. `status`: undefined where
it could not be read.
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

	return kind === 'enter' ? stateCode.BLOCKED : (isTimed(thread, methods, kind) ? stateCode.TIMED_WAITING : stateCode.WAITING);
}

/**
Whether a wait has an end, by what called it: Object.wait() calls wait(0), whose native method is one further up from 19
on; LockSupport.park() alone parks for ever.
*/
function isTimed(thread: JavaThread, methods: Methods, kind: WaitKind): boolean {
	if (kind === 'park') {
		return !isNamed(thread, methods, 1, 'park');
	}

	const wait = isNamed(thread, methods, 0, 'wait0') ? 1 : 0;
	return kind === 'sleep' || !isNamed(thread, methods, wait + 1, 'wait');
}

function isNamed({frames}: JavaThread, methods: Methods, index: number, name: string): boolean {
	return index < frames.length && methods.ofFrame(frames[index])?.name === name;
}
