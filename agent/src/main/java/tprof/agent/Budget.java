package tprof.agent;

import java.util.concurrent.atomic.AtomicInteger;

/** What all threads together may still allocate of something. Without a monitor, see Recorder. */
final class Budget {
	private final AtomicInteger left;

	Budget(int left) {
		this.left = new AtomicInteger(left);
	}

	boolean take(int count) {
		if (left.addAndGet(-count) >= 0) {
			return true;
		}

		giveBack(count);
		return false;
	}

	void giveBack(int count) {
		left.addAndGet(count);
	}
}
