package tprof.agent;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The trees of all threads, added up: a node for each way of calls. Node 0 is the root. */
final class Totals {
	private int[] parents = new int[64];
	private int[] methods = new int[64];
	private long[] counters = new long[64 * Tree.STRIDE];
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
		return counters[node * Tree.STRIDE + which];
	}

	void add(List<ThreadRecord> records) {
		Arrays.fill(counters, 0);
		for (ThreadRecord record : records) {
			add(record);
		}
	}

	private void add(ThreadRecord record) {
		Tree tree = record.tree;
		int size = tree.count;
		int[] ours = map(record.index, tree, size);
		long[] from = tree.counters;
		for (int node = 1; node < size; node++) {
			int to = ours[node] * Tree.STRIDE;
			int at = node * Tree.STRIDE;
			if (from[at + Tree.CALLS] == 0) {
				continue;
			}

			counters[to + Tree.CALLS] += from[at + Tree.CALLS];
			counters[to + Tree.EXCEPTIONS] += from[at + Tree.EXCEPTIONS];
			counters[to + Tree.CUMULATIVE] += from[at + Tree.CUMULATIVE];
			counters[to + Tree.OWN] += from[at + Tree.OWN];
			long least = from[at + Tree.LEAST];
			if (least != 0 && (counters[to + Tree.LEAST] == 0 || least < counters[to + Tree.LEAST])) {
				counters[to + Tree.LEAST] = least;
			}

			counters[to + Tree.MOST] = Math.max(counters[to + Tree.MOST], from[at + Tree.MOST]);
			for (int bucket = Tree.BUCKETS; bucket < Tree.STRIDE; bucket++) {
				counters[to + bucket] += from[at + bucket];
			}
		}
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
				ours[node] = node(ours[tree.parents[node]], tree.methods[node]);
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
			counters = Arrays.copyOf(counters, count * 2 * Tree.STRIDE);
		}

		parents[count] = parent;
		methods[count] = method;
		nodes.put(key, count);
		return count++;
	}
}
