import type {Snapshot} from '../../model/snapshot.js';
import {alignedTo} from './aligned.js';

/** Returns the milliseconds of sampling in a window, without pauses. `since` undefined: from the session's start. */
export function windowMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	return Math.max(0, snapshot.session.durationMs - (since?.session.durationMs ?? 0));
}

/** Returns the part of `windowMs` up to the newest sample, which CPU percentages relate to. */
export function sampledMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	return Math.max(0, snapshot.session.sampledMs - (since?.session.sampledMs ?? 0));
}

/** Returns CPU time as a percentage of one core over `overMs` of sampling; 0 if that is 0. */
export function corePercent(cpuNs: number, overMs: number): number {
	return overMs > 0 ? cpuNs / (overMs * 1e4) : 0;
}

/** Returns the CPU nanoseconds that a thread used in the window. */
export function threadCpuNs(snapshot: Snapshot, since: Snapshot | undefined, thread: number): number {
	return growth(snapshot, since, thread, 'cpuNs');
}

/** Returns the nanoseconds for which a thread was runnable without a CPU in the window. */
export function threadRunDelayNs(snapshot: Snapshot, since: Snapshot | undefined, thread: number): number {
	return growth(snapshot, since, thread, 'runDelayNs');
}

function growth(snapshot: Snapshot, since: Snapshot | undefined, thread: number, name: 'cpuNs' | 'runDelayNs'): number {
	const then = alignedTo(snapshot, since)?.threads;
	const before = then && thread < then.count ? then[name][thread] : 0;
	return Math.max(0, snapshot.threads[name][thread] - before);
}
