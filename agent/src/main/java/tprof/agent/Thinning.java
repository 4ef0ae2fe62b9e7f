package tprof.agent;

/**
 * Chooses the calls of a thinned method that are followed: in each thread one in EVERY, at random distances, so as not to lock
 * onto a periodic program. Each counts for all calls since the previous one.
 */
final class Thinning {
	static final int EVERY = 64;
	private static final int BYTES_OF_METHOD = 8;

	/** By method: calls until the next one followed, and the distance drawn for it. */
	private int[] left = new int[0];
	private int[] distance = new int[0];
	private int random = System.identityHashCode(this) | 1;

	/** Returns the number of calls that this one counts for; 0 if it is not followed, -1 if the budget has no room. */
	int weight(int method, HeapBudget budget) {
		if (method >= left.length) {
			if (!budget.take((method + 1 - left.length) * BYTES_OF_METHOD)) {
				return -1;
			}

			left = SlowTraces.copy(left, left.length, method + 1);
			distance = SlowTraces.copy(distance, distance.length, method + 1);
		}

		if (--left[method] > 0) {
			return 0;
		}

		int weight = Math.max(1, distance[method]);
		distance[method] = next();
		left[method] = distance[method];
		return weight;
	}

	/** Returns 1 to 2 * EVERY - 1, on average EVERY (xorshift, Marsaglia 2003). */
	private int next() {
		random ^= random << 13;
		random ^= random >>> 17;
		random ^= random << 5;
		return 1 + (int) ((random & 0xFFFFFFFFL) * (2 * EVERY - 1) >>> 32);
	}
}
