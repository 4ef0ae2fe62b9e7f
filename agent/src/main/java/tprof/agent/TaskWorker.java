package tprof.agent;

import java.util.Arrays;

/** A thread that does something with tasks: what it counted, and which it has in hand. Counters are written under its lock. */
final class TaskWorker {
	private static final int FIRST_STACK = 8;
	private static final int MOST_STACK = 1 << 14;

	/** Null of those that stand for several threads. */
	volatile Thread owner;
	final String title;
	final SpinLock lock = new SpinLock(1);
	/** By kind, and state within it. */
	volatile TaskStays[] stays = new TaskStays[0];
	/** Tasks that began and are not followed. */
	long skipped;
	/** Where it counts now that its thread has ended. */
	volatile TaskWorker heir;
	private TaskRecord[] inHand = new TaskRecord[FIRST_STACK];
	private int depth;
	/** Its thread is in our own code. */
	private boolean isInside;
	/** The same of one that stands for several threads: those of them that are. */
	private final SpinLock insideLock;
	private Thread[] inside;

	TaskWorker(Thread owner, String title) {
		this.owner = owner;
		this.title = title;
		insideLock = owner == null ? new SpinLock(1) : null;
		inside = owner == null ? new Thread[FIRST_STACK] : null;
	}

	/** The calling thread goes into our own code until it calls `leave`; false if it is there already. */
	boolean enter() {
		if (insideLock == null) {
			boolean isFirst = !isInside;
			isInside = true;
			return isFirst;
		}

		Thread thread = Thread.currentThread();
		if (!insideLock.take(0)) {
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
			insideLock.free(0);
		}
	}

	void leave() {
		if (insideLock == null) {
			isInside = false;
			return;
		}

		Thread thread = Thread.currentThread();
		if (insideLock.take(0)) {
			for (int at = 0; at < inside.length; at++) {
				if (inside[at] == thread) {
					inside[at] = null;
				}
			}

			insideLock.free(0);
		}
	}

	String name() {
		Thread thread = owner;
		return thread == null ? title : thread.getName();
	}

	/** Counts a stay; false if there is no room for a new counter. */
	boolean add(int at, long duration, TaskBudget budget) {
		if (!lock.take(0)) {
			return false;
		}

		try {
			TaskStays to = at < stays.length ? stays[at] : null;
			if (to == null) {
				if (owner != null && !budget.take()) {
					return false;
				}

				TaskStays[] grown = at < stays.length ? stays : Arrays.copyOf(stays, at + 8);
				to = new TaskStays();
				grown[at] = to;
				stays = grown;
			}

			to.add(duration);
			return true;
		} finally {
			lock.free(0);
		}
	}

	/** Its thread has ended: another counts on for it. */
	void bequeath(TaskWorker to, TaskBudget budget) {
		if (!lock.take(0)) {
			return;
		}

		TaskStays[] left;
		try {
			heir = to;
			left = stays;
			stays = new TaskStays[0];
		} finally {
			lock.free(0);
		}

		if (to.lock.take(0)) {
			try {
				TaskStays[] grown = to.stays.length < left.length ? Arrays.copyOf(to.stays, left.length) : to.stays;
				for (int at = 0; at < left.length; at++) {
					if (left[at] != null) {
						if (grown[at] == null) {
							grown[at] = new TaskStays();
						}

						grown[at].add(left[at]);
						budget.giveBack();
					}
				}

				to.stays = grown;
				to.skipped += skipped;
			} finally {
				to.lock.free(0);
			}
		}
	}

	void take(TaskRecord record) {
		// Lets go of those that are over: most threads never ask what they have in hand.
		if (inHand() == record) {
			return;
		}

		if (depth == inHand.length) {
			if (depth == MOST_STACK) {
				return;
			}

			inHand = Arrays.copyOf(inHand, depth * 2);
		}

		inHand[depth++] = record;
	}

	/** The task that the thread has begun last and not ended, or null. */
	TaskRecord inHand() {
		while (depth > 0) {
			TaskRecord top = inHand[depth - 1];
			if (!top.isOver && top.worker == this) {
				return top;
			}

			inHand[--depth] = null;
		}

		return null;
	}
}
