package tprof.agent;

import java.util.*;

/** Sums of calls over all threads by call path, and the calls of each thread. */
final class Totals {
	/** Number of the first live thread; lower numbers are the groups below. */
	static final int FIRST_THREAD = 3;

	private static final int ENDED = 0;
	private static final int VIRTUAL = 1;
	private static final int OTHERS = 2;
	/** Maximum number of call paths written for single threads. */
	private static final int MOST_PATHS = 20_000;

	/** The nodes of the threads' calls pay for it: each adds one path at most. */
	final Tree paths = new Tree(null);
	/** Counters of ended threads, by call path. */
	private Counters[] ended = new Counters[0];
	/** Call paths of a thread's nodes, by the index of its ThreadCalls. */
	private int[][] pathsOf = new int[16][];

	void add(List<ThreadCalls> allCalls) {
		for (int path = 1; path < paths.count(); path++) {
			paths.node(path).clear();
			if (path < ended.length && ended[path] != null) {
				paths.node(path).add(ended[path]);
			}
		}

		for (ThreadCalls ofThread : allCalls) {
			int[] mine = pathsOf(ofThread);
			for (int node = 1; node < mine.length; node++) {
				paths.node(mine[node]).add(ofThread.tree.node(node));
			}
		}
	}

	/** Keeps the counters of an ended thread, and resets its ThreadCalls. */
	void settle(ThreadCalls ofThread) {
		ended = sum(ofThread, ended, true);
		for (int node = 1; node < ofThread.tree.count(); node++) {
			ofThread.tree.node(node).clear();
		}
	}

	/** Returns `known` plus a thread's counters, by call path. */
	private Counters[] sum(ThreadCalls ofThread, Counters[] known, boolean isWhole) {
		int[] mine = pathsOf(ofThread);
		Counters[] sums = known.length < paths.count() ? Arrays.copyOf(known, paths.count() * 2) : known;
		for (int node = 1; node < mine.length; node++) {
			Node from = ofThread.tree.node(node);
			if (from.count != 0) {
				int path = mine[node];
				sums[path] = sums[path] == null ? new Counters(isWhole ? new Histogram() : null) : sums[path];
				sums[path].add(from);
			}
		}

		return sums;
	}

	/** Returns the call paths of a thread's current nodes. */
	private int[] pathsOf(ThreadCalls ofThread) {
		int size = ofThread.tree.count();
		if (ofThread.index >= pathsOf.length) {
			pathsOf = Arrays.copyOf(pathsOf, ofThread.index * 2);
		}

		int[] mine = pathsOf[ofThread.index];
		int known = mine == null ? 1 : mine.length;
		if (mine == null || known < size) {
			mine = mine == null ? new int[size] : Arrays.copyOf(mine, size);
			for (int node = known; node < size; node++) {
				Node from = ofThread.tree.node(node);
				Node parent = paths.node(mine[from.parent]);
				Node path = parent.child(from.method);
				mine[node] = (path == null ? paths.add(parent, from.method) : path).index;
			}

			pathsOf[ofThread.index] = mine;
		}

		return mine;
	}

	/** Writes each thread: its number + 1, its name, its counters by call path (below `count`) and a 0; a last 0. */
	void writeThreads(List<ThreadCalls> allCalls, int count, Bytes to) {
		Counters[][] together = {ended, new Counters[0], new Counters[0]};
		int written = 0;
		for (ThreadCalls ofThread : allCalls) {
			// The owner remains: only this thread frees the calls of ended threads.
			Thread owner = ofThread.owner;
			if (ofThread.isVirtual) {
				together[VIRTUAL] = sum(ofThread, together[VIRTUAL], false);
			} else if (owner != null && written + ofThread.tree.count() > MOST_PATHS) {
				together[OTHERS] = sum(ofThread, together[OTHERS], false);
			} else if (owner != null) {
				written += ofThread.tree.count();
				begin(ofThread.number, owner.getName(), to);
				int[] mine = pathsOf(ofThread);
				for (int node = 1; node < mine.length; node++) {
					write(mine[node], ofThread.tree.node(node), count, to);
				}

				to.number(0);
			}
		}

		for (int number = ENDED; number < FIRST_THREAD; number++) {
			begin(number, "", to);
			for (int path = 1; path < together[number].length; path++) {
				write(path, together[number][path], count, to);
			}

			to.number(0);
		}

		to.number(0);
	}

	private static void begin(int number, String name, Bytes to) {
		to.number(number + 1);
		to.text(name);
	}

	private static void write(int path, Counters counters, int count, Bytes to) {
		if (counters != null && counters.count != 0 && path < count) {
			to.number(path);
			counters.write(false, to);
		}
	}
}
