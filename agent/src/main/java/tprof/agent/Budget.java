package tprof.agent;

import java.util.concurrent.atomic.AtomicInteger;

/** What all threads together may allocate for what they count and keep. */
final class Budget {
	/** Powers of two in histograms, for each node in the mean. */
	private static final int HISTOGRAMS_PER_NODE = 4;

	/** No monitor, as in Recorder. */
	private final AtomicInteger nodes;
	private final AtomicInteger histograms;
	private final AtomicInteger actionBytes;

	Budget(int nodes, int actionBytes) {
		this.nodes = new AtomicInteger(nodes);
		histograms = new AtomicInteger(nodes * HISTOGRAMS_PER_NODE);
		this.actionBytes = new AtomicInteger(actionBytes);
	}

	boolean takeNode() {
		return take(nodes, 1);
	}

	boolean takeHistogram() {
		return take(histograms, 1);
	}

	boolean takeActionBytes(int count) {
		return take(actionBytes, count);
	}

	private static boolean take(AtomicInteger left, int count) {
		int before;
		do {
			before = left.get();
			if (before < count) {
				return false;
			}
		} while (!left.compareAndSet(before, before - count));

		return true;
	}
}
