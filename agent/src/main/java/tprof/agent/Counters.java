package tprof.agent;

/** Number and durations of calls, or of visits to a state. Written by one thread at a time; others may see older values. */
class Counters {
	long count;
	long exceptions;
	/** Sums, nanoseconds: from start to end; and without the woven methods called from there. */
	long total;
	long own;
	/** The shortest + 1; 0 before the first. */
	long least;
	long most;
	final Histogram durations;

	Counters(Histogram durations) {
		this.durations = durations;
	}

	/** Adds one that counts for `weight`. `budget`: see Histogram.add. */
	void ended(long duration, long ownDuration, boolean isException, int weight, HeapBudget budget) {
		count += weight;
		if (isException) {
			exceptions += weight;
		}

		total += duration * weight;
		own += ownDuration * weight;
		most = Math.max(most, duration);
		if (duration + 1 < least || least == 0) {
			least = duration + 1;
		}

		if (durations != null) {
			durations.add(duration, weight, budget);
		}
	}

	void add(Counters other) {
		count += other.count;
		exceptions += other.exceptions;
		total += other.total;
		own += other.own;
		long shortest = other.least;
		least = least == 0 || (shortest != 0 && shortest < least) ? shortest : least;
		most = Math.max(most, other.most);
		if (durations != null) {
			durations.add(other.durations);
		}
	}

	/** Resets all. The owner must not count meanwhile. */
	void clear() {
		count = 0;
		exceptions = 0;
		total = 0;
		own = 0;
		least = 0;
		most = 0;
		durations.clear();
	}

	/** Writes counters of calls. `isWhole`: including the shortest and the histogram. */
	void write(boolean isWhole, Bytes to) {
		to.numbers(count, exceptions, total, own);
		if (isWhole) {
			to.numbers(least - 1, most);
			durations.write(to);
		} else {
			to.number(most);
		}
	}
}
