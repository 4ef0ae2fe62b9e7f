package tprof.agent;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Locks for a few dozen instructions that are taken where a thread must not wait in any other way: a virtual thread that the
 * JVM is about to unmount would be unmounted twice by a monitor. Who cannot have one for two seconds gives up, and nobody
 * waits for that one again: its holder stands still in a debugger, or was thrown out of it by a stack overflow.
 */
final class SpinLock {
	private static final int FREE = 0;
	private static final int TAKEN = 1;
	private static final int BROKEN = 2;
	private static final long PATIENCE_NS = 2_000_000_000L;
	private static final int SPINS = 200;
	/** Each has a cache line of its own. */
	private static final int STRIDE = 16;

	private final AtomicIntegerArray states;

	SpinLock(int count) {
		states = new AtomicIntegerArray(count * STRIDE);
	}

	boolean take(int index) {
		return states.compareAndSet(index * STRIDE, FREE, TAKEN) || takeSlowly(index * STRIDE);
	}

	void free(int index) {
		states.compareAndSet(index * STRIDE, TAKEN, FREE);
	}

	private boolean takeSlowly(int at) {
		long since = 0;
		for (int spins = 0;; spins++) {
			int state = states.get(at);
			if (state == BROKEN) {
				return false;
			}

			if (state == FREE && states.compareAndSet(at, FREE, TAKEN)) {
				return true;
			}

			if (spins == SPINS) {
				spins = 0;
				long now = System.nanoTime();
				since = since == 0 ? now : since;
				if (now - since > PATIENCE_NS) {
					states.set(at, BROKEN);
					return false;
				}

				if (!VirtualThreads.has(Thread.currentThread())) {
					Thread.yield();
				}
			}
		}
	}
}
