package tprof.agent;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The trees of all threads, added up: a node for each way of calls. Node 0 is the root. */
final class Totals {
	static final int CALLS = 0;
	static final int EXCEPTIONS = 1;
	static final int CUMULATIVE = 2;
	static final int OWN = 3;
	/** The shortest call, and 1; 0 before the first. */
	static final int LEAST = 4;
	static final int MOST = 5;
	static final int COUNTERS = 6;

	private int[] parents = new int[64];
	private int[] methods = new int[64];
	private long[] counters = new long[64 * COUNTERS];
	private long[] ended = new long[64 * COUNTERS];
	private Histogram[] durations = new Histogram[64];
	private Histogram[] endedDurations = new Histogram[64];
	private int count = 1;
	private final Map<Long, Integer> nodes = new HashMap<Long, Integer>();
	/** Our nodes by those of a record's tree. */
	private int[][] mapped = new int[16][];

	int count() {
		return count;
	}

	int parent(int node) {
		return parents[node];
	}

	int method(int node) {
		return methods[node];
	}

	long counter(int node, int which) {
		return counters[node * COUNTERS + which];
	}

	Histogram durations(int node) {
		return durations[node];
	}

	/** Of threads that have ended. */
	long ended(int node, int which) {
		return ended[node * COUNTERS + which];
	}

	/** Our nodes by those of the record's tree, as many as it has now. */
	int[] nodesOf(ThreadRecord record) {
		return map(record.index, record.tree, record.tree.count());
	}

	void add(List<ThreadRecord> records) {
		System.arraycopy(ended, 0, counters, 0, counters.length);
		for (int node = 1; node < count; node++) {
			durations[node].clear();
			durations[node].add(endedDurations[node]);
		}

		for (ThreadRecord record : records) {
			add(record, false);
		}
	}

	/** Keeps what a thread counted that has ended; its record counts anew. */
	void settle(ThreadRecord record) {
		add(record, true);
	}

	private void add(ThreadRecord record, boolean hasEnded) {
		int[] ours = nodesOf(record);
		// Only now, as there may be new nodes.
		long[] into = hasEnded ? ended : counters;
		Histogram[] intoDurations = hasEnded ? endedDurations : durations;
		for (int index = 1; index < ours.length; index++) {
			Node from = record.tree.node(index);
			if (from.calls != 0) {
				add(from, into, ours[index] * COUNTERS);
				intoDurations[ours[index]].add(from.durations);
				if (hasEnded) {
					from.clear();
				}
			}
		}
	}

	private static void add(Node from, long[] into, int at) {
		into[at + CALLS] += from.calls;
		into[at + EXCEPTIONS] += from.exceptions;
		into[at + CUMULATIVE] += from.cumulative;
		into[at + OWN] += from.own;
		long least = from.least;
		if (least != 0 && (into[at + LEAST] == 0 || least < into[at + LEAST])) {
			into[at + LEAST] = least;
		}

		into[at + MOST] = Math.max(into[at + MOST], from.most);
	}

	private int[] map(int index, Tree tree, int size) {
		if (index >= mapped.length) {
			mapped = Arrays.copyOf(mapped, index * 2);
		}

		int[] ours = mapped[index];
		int known = ours == null ? 0 : ours.length;
		if (known < size) {
			ours = known == 0 ? new int[size] : Arrays.copyOf(ours, size);
			for (int node = Math.max(known, 1); node < size; node++) {
				ours[node] = node(ours[tree.node(node).parent], tree.node(node).method);
			}

			mapped[index] = ours;
		}

		return ours;
	}

	private int node(int parent, int method) {
		long key = (long) parent << 32 | method;
		Integer known = nodes.get(key);
		if (known != null) {
			return known;
		}

		if (count == parents.length) {
			parents = Arrays.copyOf(parents, count * 2);
			methods = Arrays.copyOf(methods, count * 2);
			counters = Arrays.copyOf(counters, count * 2 * COUNTERS);
			ended = Arrays.copyOf(ended, count * 2 * COUNTERS);
			durations = Arrays.copyOf(durations, count * 2);
			endedDurations = Arrays.copyOf(endedDurations, count * 2);
		}

		durations[count] = new Histogram();
		endedDurations[count] = new Histogram();

		parents[count] = parent;
		methods[count] = method;
		nodes.put(key, count);
		return count++;
	}
}
