package tprof.agent;

import java.util.concurrent.atomic.AtomicInteger;

/** How much of something all threads together may still take. No monitor, as in Recorder. */
final class Budget {
	private final AtomicInteger left;

	Budget(int left) {
		this.left = new AtomicInteger(left);
	}

	boolean take(int count) {
		int before;
		do {
			before = left.get();
			if (before < count) {
				return false;
			}
		} while (!left.compareAndSet(before, before - count));

		return true;
	}

	void giveBack(int count) {
		left.addAndGet(count);
	}
}
