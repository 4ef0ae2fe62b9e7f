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

	private final AtomicInteger state = new AtomicInteger();

	/** False: it is broken. */
	boolean take() {
		return state.compareAndSet(FREE, TAKEN) || takeSlowly();
	}

	void free() {
		state.compareAndSet(TAKEN, FREE);
	}

	private boolean takeSlowly() {
		long since = 0;
		for (int spins = 0;; spins++) {
			if (state.get() == BROKEN) {
				return false;
			}

			if (state.get() == FREE && state.compareAndSet(FREE, TAKEN)) {
				return true;
			}

			if (spins == SPINS) {
				spins = 0;
				long now = System.nanoTime();
				since = since == 0 ? now : since;
				if (now - since > PATIENCE_NS) {
					state.set(BROKEN);
					return false;
				}

				if (!Threads.isVirtual(Thread.currentThread())) {
					Thread.yield();
				}
			}
		}
	}
}
