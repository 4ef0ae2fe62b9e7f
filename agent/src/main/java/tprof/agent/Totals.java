package tprof.agent;

import java.util.Arrays;
import java.util.List;

/** The calls of all threads, added up by their ways, and those of each thread. */
final class Totals {
	/** Threads that live have numbers from here on; before it are those that stand for several. */
	static final int FIRST_THREAD = 3;

	private static final int ENDED = 0;
	private static final int VIRTUAL = 1;
	private static final int OTHERS = 2;
	/** Ways of all threads that are written by themselves. */
	private static final int MOST_WAYS = 20_000;

	/** Its budget is that of the records: each of their nodes gives one at most. */
	final Tree ways = new Tree(new Budget(Integer.MAX_VALUE));
	/** Of threads that have ended, by way. */
	private Counters[] ended = new Counters[0];
	/** Ways of a record's nodes, by its index. */
	private int[][] waysOf = new int[16][];

	/** Adds up what all have counted until now. */
	void add(List<ThreadRecord> records) {
		for (int way = 1; way < ways.count(); way++) {
			ways.node(way).clear();
			if (way < ended.length && ended[way] != null) {
				ways.node(way).add(ended[way]);
			}
		}

		for (ThreadRecord record : records) {
			int[] mine = waysOf(record);
			for (int node = 1; node < mine.length; node++) {
				ways.node(mine[node]).add(record.tree.node(node));
			}
		}
	}

	/** Keeps what a thread counted that has ended; its record counts anew. */
	void settle(ThreadRecord record) {
		ended = sum(record, ended, true);
		for (int node = 1; node < record.tree.count(); node++) {
			record.tree.node(node).clear();
		}
	}

	/** By way what is known and what the record has. */
	private Counters[] sum(ThreadRecord record, Counters[] known, boolean isWhole) {
		int[] mine = waysOf(record);
		Counters[] sums = known.length < ways.count() ? Arrays.copyOf(known, ways.count() * 2) : known;
		for (int node = 1; node < mine.length; node++) {
			Node from = record.tree.node(node);
			if (from.count != 0) {
				int way = mine[node];
				sums[way] = sums[way] == null ? new Counters(isWhole ? new Histogram() : null) : sums[way];
				sums[way].add(from);
			}
		}

		return sums;
	}

	/** The ways of the record's nodes, as many as it has now. */
	private int[] waysOf(ThreadRecord record) {
		int size = record.tree.count();
		if (record.index >= waysOf.length) {
			waysOf = Arrays.copyOf(waysOf, record.index * 2);
		}

		int[] mine = waysOf[record.index];
		int known = mine == null ? 1 : mine.length;
		if (mine == null || known < size) {
			mine = mine == null ? new int[size] : Arrays.copyOf(mine, size);
			for (int node = known; node < size; node++) {
				Node from = record.tree.node(node);
				Node parent = ways.node(mine[from.parent]);
				Node way = parent.child(from.method);
				mine[node] = (way == null ? ways.add(parent, from.method) : way).index;
			}

			waysOf[record.index] = mine;
		}

		return mine;
	}

	/** Of each thread its number and 1, its name, and its counters by way, of which the first `count` are known; each list ends with a 0. */
	void writeThreads(List<ThreadRecord> records, int count, Bytes to) {
		Counters[][] together = {ended, new Counters[0], new Counters[0]};
		int written = 0;
		for (ThreadRecord record : records) {
			// Nobody takes it from its owner meanwhile: that is done by this thread.
			Thread owner = record.owner;
			if (record.isVirtual) {
				together[VIRTUAL] = sum(record, together[VIRTUAL], false);
			} else if (owner != null && written + record.tree.count() > MOST_WAYS) {
				together[OTHERS] = sum(record, together[OTHERS], false);
			} else if (owner != null) {
				written += record.tree.count();
				begin(record.number, owner.getName(), to);
				int[] mine = waysOf(record);
				for (int node = 1; node < mine.length; node++) {
					write(mine[node], record.tree.node(node), count, to);
				}

				to.number(0);
			}
		}

		for (int number = ENDED; number < FIRST_THREAD; number++) {
			begin(number, "", to);
			for (int way = 1; way < together[number].length; way++) {
				write(way, together[number][way], count, to);
			}

			to.number(0);
		}

		to.number(0);
	}

	private static void begin(int number, String name, Bytes to) {
		to.number(number + 1);
		to.text(name);
	}

	private static void write(int way, Counters counters, int count, Bytes to) {
		if (counters != null && counters.count != 0 && way < count) {
			to.number(way);
			counters.write(false, to);
		}
	}
}
