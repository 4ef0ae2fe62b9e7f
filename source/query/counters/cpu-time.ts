import type {Snapshot} from '../../model/snapshot.js';
import {alignedTo} from './aligned.js';

/** Milliseconds of sampling between the baseline (undefined: the session's start) and the snapshot, pauses left out. */
export function windowMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	return Math.max(0, snapshot.session.durationMs - (since?.session.durationMs ?? 0));
}

/** The part of it up to the newest sample: what CPU time is a share of. It is much shorter where samples are rare. */
export function sampledMs(snapshot: Snapshot, since: Snapshot | undefined): number {
	return Math.max(0, snapshot.session.sampledMs - (since?.session.sampledMs ?? 0));
}

/** CPU time as percent of one core over a time in which sampling went on; 0 for no time. */
export function corePercent(cpuNs: number, overMs: number): number {
	return overMs > 0 ? cpuNs / (overMs * 1e4) : 0;
}

/** CPU nanoseconds that a thread used in the window. */
export function threadCpuNs(snapshot: Snapshot, since: Snapshot | undefined, thread: number): number {
	return grown(snapshot, since, thread, 'cpuNs');
}

/** Nanoseconds that a thread was ready to run in the window and had no CPU. */
export function threadRunDelayNs(snapshot: Snapshot, since: Snapshot | undefined, thread: number): number {
	return grown(snapshot, since, thread, 'runDelayNs');
}

function grown(snapshot: Snapshot, since: Snapshot | undefined, thread: number, name: 'cpuNs' | 'runDelayNs'): number {
	const then = alignedTo(snapshot, since)?.threads;
	const before = then && thread < then.count ? then[name][thread] : 0;
	return Math.max(0, snapshot.threads[name][thread] - before);
}
