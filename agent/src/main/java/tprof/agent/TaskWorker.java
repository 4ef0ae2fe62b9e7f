package tprof.agent;

import java.util.Arrays;

/** A thread that does something with tasks: what it counted, and which it has in hand. Counters are written under its lock. */
final class TaskWorker implements Slots.Entry {
	private static final int FIRST_STACK = 8;
	private static final int MOST_STACK = 1 << 14;

	/** Null of those that stand for several threads. */
	final Thread owner;
	private final int id;
	/** A thread of ours: nothing that it does is followed. */
	volatile boolean isMuted;
	final String title;
	final SpinLock lock = new SpinLock();
	/** By kind, and state within it. */
	volatile Counters[] stays = new Counters[0];
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

	/** The calling thread goes into our own code until it calls `leave`; false if it is there already. */
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

	/** Counts a stay; false if there is no room for a new counter. */
	boolean add(int at, long duration, Budget budget) {
		if (!lock.take()) {
			return false;
		}

		try {
			Counters to = at < stays.length ? stays[at] : null;
			if (to == null) {
				if (owner != null && !budget.take(1)) {
					return false;
				}

				to = grow(at);
			}

			to.ended(duration, 0, false, 1, null);
			return true;
		} finally {
			lock.free();
		}
	}

	private Counters grow(int at) {
		Counters[] grown = at < stays.length ? stays : Arrays.copyOf(stays, at + 8);
		grown[at] = new Counters(new Histogram());
		stays = grown;
		return grown[at];
	}

	/** Its thread has ended: another counts on for it. False: its lock is broken. */
	boolean bequeath(TaskWorker to, Budget budget) {
		if (!lock.take()) {
			return false;
		}

		Counters[] left = stays;
		heir = to;
		stays = new Counters[0];
		lock.free();
		if (to.lock.take()) {
			try {
				for (int at = 0; at < left.length; at++) {
					if (left[at] != null) {
						(at < to.stays.length && to.stays[at] != null ? to.stays[at] : to.grow(at)).add(left[at]);
						budget.giveBack(1);
					}
				}

				to.skipped += skipped;
			} finally {
				to.lock.free();
			}
		}

		return true;
	}

	void take(TaskRecord record) {
		// Forgets those that are over: most threads never ask what they have in hand.
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
