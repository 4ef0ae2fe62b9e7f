package tprof.agent;

/**
 * Durations: those of 0, then from each power of two to the next so many buckets of the same width, 5 % of what is in them at
 * most. Buckets of a power are allocated with its first duration. Written by one thread at a time.
 */
final class Histogram {
	private static final int STEPS = 20;
	private static final int POWERS = 42;
	/** Binary places of a duration that decide its step. */
	private static final int PLACES = 24;

	private long zero;
	private final long[][] counts = new long[POWERS][];

	/** A duration that stands for so many. If the budget (null: none) has no room for its power, none of that power are known. */
	void add(long duration, long weight, Budget budget) {
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

		long[] steps = counts[power];
		if (steps == null) {
			if (budget != null && !budget.take(1)) {
				return;
			}

			steps = new long[STEPS];
			counts[power] = steps;
		}

		steps[step] += weight;
	}

	void add(Histogram other) {
		zero += other.zero;
		for (int power = 0; power < POWERS; power++) {
			long[] from = other.counts[power];
			if (from != null) {
				long[] to = counts[power];
				if (to == null) {
					to = new long[STEPS];
					counts[power] = to;
				}

				for (int step = 0; step < STEPS; step++) {
					to[step] += from[step];
				}
			}
		}
	}

	/** As before the first duration. Its owner counts nothing meanwhile. */
	void clear() {
		zero = 0;
		for (long[] steps : counts) {
			if (steps != null) {
				java.util.Arrays.fill(steps, 0);
			}
		}
	}

	/** Buckets that are not empty, by their numbers, from 1 on; then a 0. */
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
