package tprof.agent;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A lock for a few dozen instructions where a thread must not block: at a monitor, a virtual thread that is being unmounted
 * would be unmounted again. A lock that is not free within two seconds is broken for good, since its holder is stopped in a
 * debugger or left it by a stack overflow.
 */
final class SpinLock {
	private static final int FREE = 0;
	private static final int TAKEN = 1;
	private static final int BROKEN = 2;
	private static final long PATIENCE_NS = 2_000_000_000L;
	private static final int SPINS = 200;

	private final AtomicInteger state = new AtomicInteger();

	/** Returns false if the lock is broken. */
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
