package tprof.agent;

/** The tasks that are followed, by identity; one object may be several tasks, as a Runnable that was submitted twice. */
final class TaskTable {
	static final int STRIPES = 256;
	private static final int MOST_BUCKETS = 1 << 17;

	final SpinLock locks = new SpinLock(STRIPES);
	private final TaskRecord[] heads;
	private final int[] sizes = new int[STRIPES];
	private final int mostOfStripe;
	private int mask;

	TaskTable(int most) {
		int buckets = STRIPES;
		while (buckets < most && buckets < MOST_BUCKETS) {
			buckets *= 2;
		}

		heads = new TaskRecord[buckets];
		mask = buckets - 1;
		mostOfStripe = Math.max(1, most / STRIPES);
	}

	/** The lock that guards the tasks of a hash. */
	static int stripeOf(int hash) {
		return hash & (STRIPES - 1);
	}

	TaskRecord first(int hash) {
		return heads[hash & mask];
	}

	/** False if there is no room. */
	boolean hasRoom(int hash) {
		return sizes[stripeOf(hash)] < mostOfStripe;
	}

	void add(TaskRecord record) {
		int at = record.hash & mask;
		record.next = heads[at];
		heads[at] = record;
		sizes[stripeOf(record.hash)]++;
	}

	void remove(TaskRecord record) {
		int at = record.hash & mask;
		TaskRecord before = null;
		for (TaskRecord each = heads[at]; each != null; before = each, each = each.next) {
			if (each == record) {
				if (before == null) {
					heads[at] = each.next;
				} else {
					before.next = each.next;
				}

				sizes[stripeOf(record.hash)]--;
				return;
			}
		}
	}

	/** How many are followed now, about. */
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

	/** All tasks of a stripe, under its lock; the visitor may remove the one that it is given. */
	void visit(int stripe, Visitor visitor) {
		if (!locks.take(stripe)) {
			return;
		}

		try {
			for (int at = stripe; at < heads.length; at += STRIPES) {
				for (TaskRecord each = heads[at], next; each != null; each = next) {
					next = each.next;
					visitor.visit(each);
				}
			}
		} finally {
			locks.free(stripe);
		}
	}
}
