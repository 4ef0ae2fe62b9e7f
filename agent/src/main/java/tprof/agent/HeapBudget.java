package tprof.agent;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The bytes of the heap that everything of the agent's may take together. What is allocated is paid for first, at a
 * size that includes what reports need for it. Without a monitor, see Recorder.
 */
final class HeapBudget {
	private final int all;
	private final AtomicInteger left;
	private volatile boolean hasFailed;

	/** `all`: bytes, at most a GB. */
	HeapBudget(int all) {
		this.all = all;
		left = new AtomicInteger(all);
	}

	/** Returns false, and takes nothing, if less than these bytes are left. */
	boolean take(int bytes) {
		// First without writing: where nothing is left, many threads ask again and again.
		if (left.get() < bytes) {
			return false;
		}

		if (left.addAndGet(-bytes) >= 0) {
			return true;
		}

		giveBack(bytes);
		return false;
	}

	/** Returns a budget of its own for some of what is left: at most these bytes, and at most half. */
	HeapBudget part(long most) {
		int bytes = (int) Math.min(most, left.get() / 2);
		giveBack(-bytes);
		return new HeapBudget(bytes);
	}

	void giveBack(int bytes) {
		left.addAndGet(bytes);
	}

	int left() {
		return left.get();
	}

	int taken() {
		return all - left.get();
	}

	/** Code of ours had an OutOfMemoryError: the session must end. */
	void fail() {
		hasFailed = true;
	}

	boolean hasFailed() {
		return hasFailed;
	}
}
