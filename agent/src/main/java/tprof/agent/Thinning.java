package tprof.agent;

/**
 * Which calls of a method stand for all: one in EVERY of a thread, at random distances, so that a program with a period is not
 * met in step with it. Each stands for the calls since the one before.
 */
final class Turns {
	static final int EVERY = 64;

	/** By method: calls until the next turn, and those from turn to turn. */
	private int[] left = new int[0];
	private int[] distance = new int[0];
	private int random = System.identityHashCode(this) | 1;

	/** How many calls this one stands for; 0: it is not its turn. */
	int weight(int method) {
		if (method >= left.length) {
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

	/** 1 to 2 * EVERY - 1, EVERY in the mean (xorshift, Marsaglia 2003). */
	private int next() {
		random ^= random << 13;
		random ^= random >>> 17;
		random ^= random << 5;
		return 1 + (int) ((random & 0xFFFFFFFFL) * (2 * EVERY - 1) >>> 32);
	}
}
