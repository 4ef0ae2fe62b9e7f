package tprof.agent;

import java.util.concurrent.atomic.AtomicInteger;

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

	/** No AtomicIntegerArray: from JDK 9 on that is linked through much of the JDK, on the thread that calls it first. */
	private final AtomicInteger[] states;

	SpinLock(int count) {
		states = new AtomicInteger[count];
		for (int index = 0; index < count; index++) {
			states[index] = new AtomicInteger();
		}
	}

	boolean take(int index) {
		return states[index].compareAndSet(FREE, TAKEN) || takeSlowly(states[index]);
	}

	void free(int index) {
		states[index].compareAndSet(TAKEN, FREE);
	}

	private static boolean takeSlowly(AtomicInteger lock) {
		long since = 0;
		for (int spins = 0;; spins++) {
			int state = lock.get();
			if (state == BROKEN) {
				return false;
			}

			if (state == FREE && lock.compareAndSet(FREE, TAKEN)) {
				return true;
			}

			if (spins == SPINS) {
				spins = 0;
				long now = System.nanoTime();
				since = since == 0 ? now : since;
				if (now - since > PATIENCE_NS) {
					lock.set(BROKEN);
					return false;
				}

				if (!Threads.isVirtual(Thread.currentThread())) {
					Thread.yield();
				}
			}
		}
	}
}
