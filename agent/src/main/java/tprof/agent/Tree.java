package tprof.agent;

import java.util.Arrays;

/**
 * The calls of a thread by the way that led to them: node 0 is the thread itself, a node below it a method called there.
 * Written by one thread; another one may read, and sees each counter whole as it was a moment ago.
 */
final class Tree {
	static final int CALLS = 0;
	static final int EXCEPTIONS = 1;
	/** From start to end, nanoseconds; of it, what no woven method called from it took; the shortest and the longest call. */
	static final int CUMULATIVE = 2;
	static final int OWN = 3;
	static final int LEAST = 4;
	static final int MOST = 5;
	/** Calls by duration: bucket b has those of less than 2^b ns that bucket b - 1 has not. */
	static final int BUCKETS = 6;
	static final int BUCKET_COUNT = 42;
	static final int STRIDE = BUCKETS + BUCKET_COUNT;

	private static final int FIRST_CAPACITY = 16;

	int[] parents = new int[FIRST_CAPACITY];
	int[] methods = new int[FIRST_CAPACITY];
	long[] counters = new long[FIRST_CAPACITY * STRIDE];
	/** Nodes below this one are whole. */
	volatile int count = 1;
	/** Open addressing: the node, or 0. */
	private int[] slots = new int[FIRST_CAPACITY * 2];
	private final Budget budget;

	Tree(Budget budget) {
		this.budget = budget;
		budget.takeNodes(FIRST_CAPACITY);
		methods[0] = -1;
	}

	/** The node of a method called at `parent`; -1 when there is no room for it. */
	int child(int parent, int method) {
		int[] in = slots;
		int mask = in.length - 1;
		for (int at = hash(parent, method) & mask;; at = (at + 1) & mask) {
			int node = in[at];
			if (node == 0) {
				return add(parent, method);
			}

			if (methods[node] == method && parents[node] == parent) {
				return node;
			}
		}
	}

	void ended(int node, long duration, long own, boolean isException) {
		long[] to = counters;
		int at = node * STRIDE;
		to[at + CALLS]++;
		if (isException) {
			to[at + EXCEPTIONS]++;
		}

		to[at + CUMULATIVE] += duration;
		to[at + OWN] += own;
		if (duration > to[at + MOST]) {
			to[at + MOST] = duration;
		}

		// One is added, so that 0 stands for none yet.
		if (to[at + LEAST] == 0 || duration < to[at + LEAST] - 1) {
			to[at + LEAST] = duration + 1;
		}

		int bucket = 64 - Long.numberOfLeadingZeros(duration);
		to[at + BUCKETS + (bucket < BUCKET_COUNT ? bucket : BUCKET_COUNT - 1)]++;
	}

	private int add(int parent, int method) {
		int node = count;
		if (node == parents.length) {
			if (!budget.takeNodes(node)) {
				return -1;
			}

			parents = Arrays.copyOf(parents, node * 2);
			methods = Arrays.copyOf(methods, node * 2);
			counters = Arrays.copyOf(counters, node * 2 * STRIDE);
			slots = new int[node * 4];
			for (int old = 1; old < node; old++) {
				enter(old);
			}
		}

		parents[node] = parent;
		methods[node] = method;
		enter(node);
		count = node + 1;
		return node;
	}

	private void enter(int node) {
		int mask = slots.length - 1;
		int at = hash(parents[node], methods[node]) & mask;
		while (slots[at] != 0) {
			at = (at + 1) & mask;
		}

		slots[at] = node;
	}

	private static int hash(int parent, int method) {
		int mixed = (parent * 0x9E3779B1) ^ (method * 0x85EBCA6B);
		return mixed ^ (mixed >>> 15);
	}
}
