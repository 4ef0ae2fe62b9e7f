import {safe, type Printable} from '../../util/printable.js';
import {featureRelease, firstWithVirtualThreads, type Snapshot, type ThreadTable} from '../../model/snapshot.js';
import {threadFlag} from '../../model/sample.js';
import {sumOf} from '../../util/sum.js';
import {alignedTo} from './aligned.js';

type ThreadKind = 'java' | 'jit' | 'vm';

export function threadKind(flags: number): ThreadKind {
	return (flags & threadFlag.compiler) === 0 ? ((flags & threadFlag.vmInternal) === 0 ? 'java' : 'vm') : 'jit';
}

/** Java threads started by HotSpot's runtime and services folders, java.lang.ref and jdk.internal.ref, JDK 8 to 28. */
const jvmNames: ReadonlySet<string> = new Set([
	'Reference Handler',
	'Finalizer',
	'Signal Dispatcher',
	'Service Thread',
	'Monitor Deflation Thread',
	'Notification Thread',
	'Common-Cleaner',
	'Attach Listener',
	'Sweeper thread',
	'Surrogate Locker Thread (Concurrent GC)',
]);

/** Whether a thread serves the JVM, not the program: a collector, a compiler, or a Java thread that every JVM has. */
export function isOfJvm(flags: number, name: string): boolean {
	return threadKind(flags) !== 'java' || jvmNames.has(name);
}

/** The JDK's threads for virtual threads: carriers of its scheduler, and those that unpark them after a timeout. */
const scheduler = /^(?:ForkJoinPool-1-worker-\d+|VirtualThread-unparker.*)$/;

const leastSeenPercent = 99;

/** Returns a note on virtual threads whose stacks are not read; undefined if all are, or there are none. */
export function unseenVirtualThreads(snapshot: Snapshot): Printable | undefined {
	const {virtualThreads, virtualSeenPercent} = snapshot.session;
	if (virtualSeenPercent === 0) {
		const count = virtualThreads > 0 ? safe` (there are ${Math.round(virtualThreads)})` : safe``;
		return hasVirtualThreads(snapshot) ? safe`virtual threads that are not mounted are not seen${count}` : undefined;
	}

	return virtualSeenPercent < leastSeenPercent
		? safe`only ${Math.floor(virtualSeenPercent)}% of ${Math.round(virtualThreads)} virtual threads are seen`
		: undefined;
}

function hasVirtualThreads({target, threads}: Snapshot): boolean {
	return featureRelease(target.jvmVersion) >= firstWithVirtualThreads
		&& threads.name.some((name, thread) =>
			thread < threads.count
			&& ((threads.flags[thread] & (threadFlag.virtual | threadFlag.carrier)) !== 0 || scheduler.test(name)));
}

/** Returns the number of threads in a row of the table: unmounted virtual threads with the same stack share one. */
export function membersOf({members}: Pick<ThreadTable, 'members'>, thread: number): number {
	return Math.max(1, members[thread]);
}

export function membersOfAll(threads: Pick<ThreadTable, 'members'>, indexes: readonly number[]): number {
	return sumOf(indexes, thread => membersOf(threads, thread));
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
