package tprof.agent;

/** The tasks that are followed, by identity; one object may be several tasks, as a Runnable that was submitted twice. */
final class TaskTable {
	private static final int STRIPE_BITS = 8;
	static final int STRIPES = 1 << STRIPE_BITS;
	private static final int FIRST_BUCKETS = 4;
	private static final int MOST_BUCKETS = 512;

	final SpinLock locks = new SpinLock(STRIPES);
	/** By stripe, then by the rest of the hash. As long as they need be. */
	private final TaskRecord[][] heads = new TaskRecord[STRIPES][FIRST_BUCKETS];
	private final int[] sizes = new int[STRIPES];
	private final int mostOfStripe;

	TaskTable(int most) {
		mostOfStripe = Math.max(1, most / STRIPES);
	}

	/** The lock that guards the tasks of a hash. */
	static int stripeOf(int hash) {
		return hash & (STRIPES - 1);
	}

	TaskRecord first(int hash) {
		TaskRecord[] in = heads[stripeOf(hash)];
		return in[bucketOf(hash, in)];
	}

	/** False if there is no room. */
	boolean hasRoom(int hash) {
		return sizes[stripeOf(hash)] < mostOfStripe;
	}

	void add(TaskRecord record) {
		int stripe = stripeOf(record.hash);
		if (++sizes[stripe] > heads[stripe].length && heads[stripe].length < MOST_BUCKETS) {
			grow(stripe);
		}

		enter(record, heads[stripe]);
	}

	private void grow(int stripe) {
		TaskRecord[] old = heads[stripe];
		TaskRecord[] to = new TaskRecord[old.length * 2];
		for (TaskRecord first : old) {
			for (TaskRecord each = first, next; each != null; each = next) {
				next = each.next;
				enter(each, to);
			}
		}

		heads[stripe] = to;
	}

	private static void enter(TaskRecord record, TaskRecord[] to) {
		int at = bucketOf(record.hash, to);
		record.next = to[at];
		to[at] = record;
	}

	private static int bucketOf(int hash, TaskRecord[] in) {
		return hash >>> STRIPE_BITS & (in.length - 1);
	}

	void remove(TaskRecord record) {
		TaskRecord[] in = heads[stripeOf(record.hash)];
		int at = bucketOf(record.hash, in);
		TaskRecord before = null;
		for (TaskRecord each = in[at]; each != null; before = each, each = each.next) {
			if (each == record) {
				if (before == null) {
					in[at] = each.next;
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
			for (TaskRecord first : heads[stripe]) {
				for (TaskRecord each = first, next; each != null; each = next) {
					next = each.next;
					visitor.visit(each);
				}
			}
		} finally {
			locks.free(stripe);
		}
	}
}
