package tprof.agent;

/** What all threads together may allocate for what they count and keep. */
final class Budget {
	private int nodes;
	private long actionBytes;

	Budget(int nodes, long actionBytes) {
		this.nodes = nodes;
		this.actionBytes = actionBytes;
	}

	synchronized boolean takeNode() {
		if (nodes == 0) {
			return false;
		}

		nodes--;
		return true;
	}

	synchronized boolean takeActionBytes(long count) {
		if (count > actionBytes) {
			return false;
		}

		actionBytes -= count;
		return true;
	}
}
