package tprof.agent;

import java.util.Arrays;

/** A thread that passes points: its counters, which its lock guards, and its current tasks. Some workers are several threads. */
final class TaskWorker implements Slots.Entry {
	private static final int FIRST_STACK = 8;
	private static final int MOST_STACK = 1 << 14;
	private static final int BYTES_OF_REFERENCE = 8;
	/** Of a worker; of a counter, in its own and in another worker, and in a report, without its powers. */
	static final int BYTES = 300;
	private static final int BYTES_OF_COUNTER = 500;
	private static final int MORE_COUNTERS = 8;

	/** Null if the worker is several threads. */
	final Thread owner;
	private final int id;
	/** One of the agent's threads, which are not followed. */
	volatile boolean isMuted;
	final String title;
	final SpinLock lock = new SpinLock();
	/** By kind, then state. */
	volatile Counters[] visits = new Counters[0];
	/** Number of new tasks not followed. */
	long skipped;
	/** The worker that counts for it after its thread's end. */
	volatile TaskWorker heir;
	private FollowedTask[] inHand = new FollowedTask[FIRST_STACK];
	private int depth;
	/** The thread is in our own code. */
	private boolean isInside;
	/** For several threads: those that are in our own code, and their lock. */
	private final SpinLock insideLock;
	private Thread[] inside;

	TaskWorker(Thread owner, String title) {
		this.owner = owner;
		id = owner == null ? 0 : Threads.id(owner);
		this.title = title;
		insideLock = owner == null ? new SpinLock() : null;
		inside = owner == null ? new Thread[FIRST_STACK] : null;
	}

	@Override
	public Object key() {
		return heir == null ? owner : null;
	}

	@Override
	public int hash() {
		return id;
	}

	/** Notes that the calling thread is in our own code until `leave`; returns false if it is already. */
	boolean enter() {
		if (insideLock == null) {
			boolean isFirst = !isInside;
			isInside = true;
			return isFirst;
		}

		Thread thread = Thread.currentThread();
		if (!insideLock.take()) {
			return false;
		}

		try {
			int free = -1;
			for (int at = 0; at < inside.length; at++) {
				if (inside[at] == thread) {
					return false;
				}

				free = inside[at] == null ? at : free;
			}

			if (free < 0) {
				free = inside.length;
				Thread[] longer = new Thread[free * 2];
				System.arraycopy(inside, 0, longer, 0, free);
				inside = longer;
			}

			inside[free] = thread;
			return true;
		} finally {
			insideLock.free();
		}
	}

	void leave() {
		if (insideLock == null) {
			isInside = false;
			return;
		}

		Thread thread = Thread.currentThread();
		if (insideLock.take()) {
			for (int at = 0; at < inside.length; at++) {
				if (inside[at] == thread) {
					inside[at] = null;
				}
			}

			insideLock.free();
		}
	}

	String name() {
		return owner == null ? title : owner.getName();
	}

	/** Counts a visit to a state; returns false if there is no room for a new counter. */
	boolean add(int at, long duration, HeapBudget budget) {
		if (!lock.take()) {
			return false;
		}

		try {
			Counters to = at < visits.length ? visits[at] : null;
			if (to == null) {
				if (!budget.take(BYTES_OF_COUNTER + more(at) * BYTES_OF_REFERENCE)) {
					return false;
				}

				to = new Counters(new Histogram());
				put(at, to);
			}

			to.ended(duration, 0, false, 1, budget);
			return true;
		} finally {
			lock.free();
		}
	}

	/** Returns by how many places the list of counters must grow for this one. */
	private int more(int at) {
		return at < visits.length ? 0 : at + MORE_COUNTERS - visits.length;
	}

	private void put(int at, Counters counters) {
		Counters[] grown = Arrays.copyOf(visits, visits.length + more(at));
		grown[at] = counters;
		visits = grown;
	}

	/** Moves the counters of an ended thread to another worker; returns false if the lock is broken. */
	boolean bequeath(TaskWorker to, HeapBudget budget) {
		if (!lock.take()) {
			return false;
		}

		Counters[] left = visits;
		heir = to;
		visits = new Counters[0];
		lock.free();
		if (to.lock.take()) {
			try {
				for (int at = 0; at < left.length; at++) {
					if (left[at] != null && at < to.visits.length && to.visits[at] != null) {
						to.visits[at].add(left[at]);
						budget.giveBack(BYTES_OF_COUNTER);
					} else if (left[at] != null) {
						to.put(at, left[at]);
					}
				}

				to.skipped += skipped;
			} finally {
				to.lock.free();
			}
		}

		return true;
	}

	/** Remembers the task as the thread's current one, if there is room. */
	void take(FollowedTask followed, HeapBudget budget) {
		// `inHand` drops tasks that are over: most threads never call it elsewhere.
		if (inHand() == followed) {
			return;
		}

		if (depth == inHand.length) {
			if (depth == MOST_STACK || !budget.take(depth * BYTES_OF_REFERENCE)) {
				return;
			}

			inHand = Arrays.copyOf(inHand, depth * 2);
		}

		inHand[depth++] = followed;
	}

	/** Returns the task that the thread began last and has not ended; null if none. */
	FollowedTask inHand() {
		while (depth > 0) {
			FollowedTask top = inHand[depth - 1];
			if (!top.isOver && top.worker == this) {
				return top;
			}

			inHand[--depth] = null;
		}

		return null;
	}
}
