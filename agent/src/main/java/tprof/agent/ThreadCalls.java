package tprof.agent;

import java.util.List;

/** Calls by thread: each that lives by itself; virtual threads, and those that have ended, are one each. */
final class ThreadCalls {
	/** Threads that live have numbers from here on; before it are those that stand for several. */
	static final int FIRST = 3;

	private static final int ENDED = 0;
	private static final int VIRTUAL = 1;
	private static final int OTHERS = 2;
	/** Ways of calls, of all threads that are written by themselves. */
	private static final int MOST_WAYS = 20_000;
	private static final int[] COUNTERS = {Totals.CALLS, Totals.EXCEPTIONS, Totals.CUMULATIVE, Totals.OWN, Totals.MOST};

	private final Totals totals;

	ThreadCalls(Totals totals) {
		this.totals = totals;
	}

	/** Of each thread its number and 1, its name, and its counters by the totals' nodes, of which the first `nodes` are known; each list ends with a 0. */
	void write(List<ThreadRecord> records, int nodes, Bytes to) {
		long[][] together = new long[FIRST][];
		int ways = 0;
		for (ThreadRecord record : records) {
			// Nobody takes it from its owner meanwhile: that is done by this thread.
			Thread owner = record.owner;
			if (record.isVirtual) {
				together[VIRTUAL] = sum(record, together[VIRTUAL]);
			} else if (owner != null && ways + record.tree.count() > MOST_WAYS) {
				together[OTHERS] = sum(record, together[OTHERS]);
			} else if (owner != null) {
				ways += record.tree.count();
				to.number(record.number + 1);
				to.text(owner.getName());
				write(record, nodes, to);
			}
		}

		together[ENDED] = ended();
		for (int number = 0; number < FIRST; number++) {
			if (together[number] != null) {
				to.number(number + 1);
				to.text("");
				write(together[number], nodes, to);
			}
		}

		to.number(0);
	}

	private void write(ThreadRecord record, int nodes, Bytes to) {
		int[] ours = totals.nodesOf(record);
		for (int index = 1; index < ours.length; index++) {
			Node from = record.tree.node(index);
			if (from.calls != 0 && ours[index] < nodes) {
				to.number(ours[index]);
				to.number(from.calls);
				to.number(from.exceptions);
				to.number(from.cumulative);
				to.number(from.own);
				to.number(from.most);
			}
		}

		to.number(0);
	}

	private static void write(long[] sums, int nodes, Bytes to) {
		for (int node = 1; node < nodes && node * COUNTERS.length < sums.length; node++) {
			if (sums[node * COUNTERS.length] != 0) {
				to.number(node);
				for (int each = 0; each < COUNTERS.length; each++) {
					to.number(sums[node * COUNTERS.length + each]);
				}
			}
		}

		to.number(0);
	}

	private long[] sum(ThreadRecord record, long[] known) {
		int[] ours = totals.nodesOf(record);
		long[] sums = known == null ? new long[totals.count() * COUNTERS.length] : known;
		if (sums.length < totals.count() * COUNTERS.length) {
			sums = java.util.Arrays.copyOf(sums, totals.count() * COUNTERS.length);
		}

		for (int index = 1; index < ours.length; index++) {
			Node from = record.tree.node(index);
			int at = ours[index] * COUNTERS.length;
			sums[at] += from.calls;
			sums[at + 1] += from.exceptions;
			sums[at + 2] += from.cumulative;
			sums[at + 3] += from.own;
			sums[at + 4] = Math.max(sums[at + 4], from.most);
		}

		return sums;
	}

	private long[] ended() {
		long[] sums = new long[totals.count() * COUNTERS.length];
		for (int node = 1; node < totals.count(); node++) {
			for (int each = 0; each < COUNTERS.length; each++) {
				sums[node * COUNTERS.length + each] = totals.ended(node, COUNTERS[each]);
			}
		}

		return sums;
	}
}
