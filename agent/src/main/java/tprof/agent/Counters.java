package tprof.agent;

/** How often and how long: of calls, or of stays in a state. Written by one thread at a time; others see each counter as it was a moment ago. */
class Counters {
	long count;
	long exceptions;
	/** From start to end, nanoseconds; of calls, what no woven method called from there took. */
	long total;
	long own;
	/** The shortest, and 1; 0 before the first. */
	long least;
	long most;
	/** Null: not wanted. */
	final Histogram durations;

	Counters(Histogram durations) {
		this.durations = durations;
	}

	/** One ends that stands for so many. `histograms`: as in Histogram.add. */
	void ended(long duration, long ownDuration, boolean isException, int weight, Budget histograms) {
		count += weight;
		if (isException) {
			exceptions += weight;
		}

		total += duration * weight;
		own += ownDuration * weight;
		if (duration > most) {
			most = duration;
		}

		if (duration + 1 < least || least == 0) {
			least = duration + 1;
		}

		if (durations != null) {
			durations.add(duration, weight, histograms);
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

	/** As before the first. Its owner calls nothing meanwhile. */
	void clear() {
		count = 0;
		exceptions = 0;
		total = 0;
		own = 0;
		least = 0;
		most = 0;
		durations.clear();
	}

	/** As of calls. `isWhole`: with the shortest and the durations. */
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
