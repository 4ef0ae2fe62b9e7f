package tprof.agent;

import java.util.concurrent.atomic.AtomicInteger;

/** How many counters all threads together may have. */
final class TaskBudget {
	private final AtomicInteger left;

	TaskBudget(int most) {
		left = new AtomicInteger(most);
	}

	boolean take() {
		if (left.decrementAndGet() >= 0) {
			return true;
		}

		left.incrementAndGet();
		return false;
	}

	void giveBack() {
		left.incrementAndGet();
	}
}
