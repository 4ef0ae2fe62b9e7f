package tprof.agent;

/**
 * A histogram of durations: a bucket for 0, then from each power of two to the next STEPS buckets of equal width, at most 5 %
 * of the duration. Buckets are allocated with the first duration of their power. Written by one thread at a time.
 */
final class Histogram {
	private static final int STEPS = 20;
	private static final int POWERS = 42;
	/** Number of bits of a duration that determine its step. */
	private static final int PLACES = 24;
	/** Of a power: here, in the sums of all threads and of ended ones, and in a report. */
	private static final int BYTES_OF_POWER = 3 * (16 + STEPS * 8) + 100;

	private long zero;
	private final long[][] counts = new long[POWERS][];

	/** Adds `weight` durations; drops them if the budget (null: unlimited) has no room for their power. */
	void add(long duration, long weight, HeapBudget budget) {
		if (duration <= 0) {
			zero += weight;
			return;
		}

		int leading = Long.numberOfLeadingZeros(duration);
		int power = 63 - leading;
		int step = (int) ((duration << leading << 1 >>> 64 - PLACES) * STEPS >>> PLACES);
		if (power >= POWERS) {
			power = POWERS - 1;
			step = STEPS - 1;
		}

		if (counts[power] == null && budget != null && !budget.take(BYTES_OF_POWER)) {
			return;
		}

		stepsOf(power)[step] += weight;
	}

	private long[] stepsOf(int power) {
		if (counts[power] == null) {
			counts[power] = new long[STEPS];
		}

		return counts[power];
	}

	void add(Histogram other) {
		zero += other.zero;
		for (int power = 0; power < POWERS; power++) {
			long[] from = other.counts[power];
			for (int step = 0; from != null && step < STEPS; step++) {
				stepsOf(power)[step] += from[step];
			}
		}
	}

	/** Empties it. The owner must not count meanwhile. */
	void clear() {
		zero = 0;
		for (long[] steps : counts) {
			if (steps != null) {
				java.util.Arrays.fill(steps, 0);
			}
		}
	}

	/** Writes the non-empty buckets, by number + 1, and a 0. */
	void write(Bytes to) {
		if (zero != 0) {
			to.numbers(1, zero);
		}

		for (int power = 0; power < POWERS; power++) {
			long[] steps = counts[power];
			for (int step = 0; steps != null && step < STEPS; step++) {
				if (steps[step] != 0) {
					to.numbers(2 + power * STEPS + step, steps[step]);
				}
			}
		}

		to.number(0);
	}
}
