package tprof.agent;

/** The followed tasks by identity. One object may be several tasks, such as a Runnable submitted twice. */
final class TaskTable {
	/** Number of parts, each with a lock, by the lowest bits of the hash. */
	private static final int STRIPES = 256;
	private static final int MOST_BUCKETS = 1 << 17;
	/** One object may be thousands of tasks, all in one stripe: this bounds the time of a look-up. */
	private static final int MOST_OF_STRIPE = 4096;
	/** With its bucket. */
	private static final int BYTES_OF_TASK = FollowedTask.BYTES + 8;

	private final SpinLock[] locks = new SpinLock[STRIPES];
	/** Each bucket belongs to one stripe. */
	private final FollowedTask[] heads;
	private final int[] sizes = new int[STRIPES];
	private final HeapBudget room;
	/** The number of tasks for which there is room. */
	final int most;

	/** Takes part of the budget for at most these tasks. */
	TaskTable(int wanted, HeapBudget budget) {
		room = budget.part((long) wanted * BYTES_OF_TASK);
		most = room.left() / BYTES_OF_TASK;
		heads = new FollowedTask[Math.max(STRIPES, Math.min(MOST_BUCKETS, Integer.highestOneBit(most)))];
		for (int stripe = 0; stripe < STRIPES; stripe++) {
			locks[stripe] = new SpinLock();
		}
	}

	private static int stripeOf(int hash) {
		return hash & (STRIPES - 1);
	}

	/** Guards the tasks of a hash. */
	SpinLock lockOf(int hash) {
		return locks[stripeOf(hash)];
	}

	FollowedTask first(int hash) {
		return heads[bucketOf(hash)];
	}

	private int bucketOf(int hash) {
		return hash & (heads.length - 1);
	}

	/** Reserves room for a task to be added; returns false if there is none. */
	boolean take(int hash) {
		return sizes[stripeOf(hash)] < MOST_OF_STRIPE && room.take(BYTES_OF_TASK);
	}

	void add(FollowedTask followed) {
		int at = bucketOf(followed.hash);
		followed.next = heads[at];
		heads[at] = followed;
		sizes[stripeOf(followed.hash)]++;
	}

	void remove(FollowedTask followed) {
		int at = bucketOf(followed.hash);
		FollowedTask before = null;
		for (FollowedTask each = heads[at]; each != null; before = each, each = each.next) {
			if (each == followed) {
				if (before == null) {
					heads[at] = each.next;
				} else {
					before.next = each.next;
				}

				sizes[stripeOf(followed.hash)]--;
				room.giveBack(BYTES_OF_TASK);
				return;
			}
		}
	}

	boolean isFull() {
		return room.left() < BYTES_OF_TASK;
	}

	int size() {
		int all = 0;
		for (int size : sizes) {
			all += size;
		}

		return all;
	}

	interface Visitor {
		void visit(FollowedTask followed);
	}

	/** Visits all tasks, each stripe under its lock; the visitor may remove the task that it is given. */
	void visit(Visitor visitor) {
		for (int stripe = 0; stripe < STRIPES; stripe++) {
			if (locks[stripe].take()) {
				try {
					for (int at = stripe; at < heads.length; at += STRIPES) {
						for (FollowedTask each = heads[at], next; each != null; each = next) {
							next = each.next;
							visitor.visit(each);
						}
					}
				} finally {
					locks[stripe].free();
				}
			}
		}
	}
}
