import {featureRelease} from '../../model/feature-release.js';
import {threadFlag} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';

/** Whose CPU time a thread uses: the program's, the JIT compilers', or the JVM's own (collectors and others). */
type ThreadKind = 'java' | 'jit' | 'vm';

export function threadKind(flags: number): ThreadKind {
	return (flags & threadFlag.compiler) === 0 ? ((flags & threadFlag.vmInternal) === 0 ? 'java' : 'vm') : 'jit';
}

/** Java threads of HotSpot's runtime and services folders, java.lang.ref and jdk.internal.ref, JDK 8 to 28. */
const ownNames: ReadonlySet<string> = new Set([
	'Reference Handler', 'Finalizer', 'Signal Dispatcher', 'Service Thread', 'Monitor Deflation Thread', 'Notification Thread', 'Common-Cleaner', 'Attach Listener', 'Sweeper thread', 'Surrogate Locker Thread (Concurrent GC)',
]);

/** Whether a thread serves the JVM and not the program: collectors, compilers, Java threads that every JVM has. */
export function isOfJvm(flags: number, name: string): boolean {
	return threadKind(flags) !== 'java' || ownNames.has(name);
}

/** First release with virtual threads. */
const firstRelease = 21;

/** Threads that the JDK has for virtual ones: those of its scheduler, and those that wake them in time. */
const scheduler = /^(?:ForkJoinPool-1-worker-\d+|VirtualThread-unparker.*)$/;

/** What engines do not see of virtual threads. */
export const unmountedUnseen = 'virtual threads that are not mounted are not seen';

/** Whether a virtual thread was mounted, or threads are there that carry or wake them. */
export function hasVirtualThreads({target, threads}: Snapshot): boolean {
	return featureRelease(target.jvmVersion) >= firstRelease
		&& threads.name.some((name, thread) => thread < threads.count && ((threads.flags[thread] & (threadFlag.virtual | threadFlag.carrier)) !== 0 || scheduler.test(name)));
}
