package tprof.agent;

/** How often and how long tasks of one kind were in one state, by one worker. */
final class TaskStays {
	static final int BUCKET_COUNT = Node.BUCKET_COUNT;

	long count;
	long total;
	long least = Long.MAX_VALUE;
	long most;
	final long[] buckets = new long[BUCKET_COUNT];

	void add(long duration) {
		count++;
		total += duration;
		if (duration < least) {
			least = duration;
		}

		if (duration > most) {
			most = duration;
		}

		int bucket = duration <= 0 ? 0 : 64 - Long.numberOfLeadingZeros(duration);
		buckets[bucket < BUCKET_COUNT ? bucket : BUCKET_COUNT - 1]++;
	}

	void add(TaskStays other) {
		count += other.count;
		total += other.total;
		least = Math.min(least, other.least);
		most = Math.max(most, other.most);
		for (int bucket = 0; bucket < BUCKET_COUNT; bucket++) {
			buckets[bucket] += other.buckets[bucket];
		}
	}
}
