package tprof.agent;

/** The tasks that are followed, by identity; one object may be several tasks, as a Runnable that was submitted twice. */
final class TaskTable {
	/** Parts with a lock each, by the lowest bits of the hash. */
	private static final int STRIPES = 256;
	private static final int MOST_BUCKETS = 1 << 17;
	/** One object may be thousands of tasks, which are all in its stripe; looking them up takes that long. */
	private static final int MOST_OF_STRIPE = 4096;

	private final SpinLock[] locks = new SpinLock[STRIPES];
	/** Each bucket belongs to one stripe. */
	private final TaskRecord[] heads;
	private final int[] sizes = new int[STRIPES];
	private final Budget room;

	TaskTable(int most) {
		heads = new TaskRecord[Math.max(STRIPES, Math.min(MOST_BUCKETS, Integer.highestOneBit(most)))];
		room = new Budget(most);
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

	TaskRecord first(int hash) {
		return heads[bucketOf(hash)];
	}

	private int bucketOf(int hash) {
		return hash & (heads.length - 1);
	}

	/** Takes a place for a task that is added then; false: there is none. */
	boolean take(int hash) {
		return sizes[stripeOf(hash)] < MOST_OF_STRIPE && room.take(1);
	}

	void add(TaskRecord record) {
		int at = bucketOf(record.hash);
		record.next = heads[at];
		heads[at] = record;
		sizes[stripeOf(record.hash)]++;
	}

	void remove(TaskRecord record) {
		int at = bucketOf(record.hash);
		TaskRecord before = null;
		for (TaskRecord each = heads[at]; each != null; before = each, each = each.next) {
			if (each == record) {
				if (before == null) {
					heads[at] = each.next;
				} else {
					before.next = each.next;
				}

				sizes[stripeOf(record.hash)]--;
				room.giveBack(1);
				return;
			}
		}
	}

	int size() {
		int all = 0;
		for (int size : sizes) {
			all += size;
		}

		return all;
	}

	interface Visitor {
		void visit(TaskRecord record);
	}

	/** All tasks, a stripe at a time under its lock; the visitor may remove the one that it is given. */
	void visit(Visitor visitor) {
		for (int stripe = 0; stripe < STRIPES; stripe++) {
			if (locks[stripe].take()) {
				try {
					for (int at = stripe; at < heads.length; at += STRIPES) {
						for (TaskRecord each = heads[at], next; each != null; each = next) {
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
