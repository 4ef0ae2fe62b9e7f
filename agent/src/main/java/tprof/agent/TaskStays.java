package tprof.agent;

/** How often and how long tasks of one kind were in one state, by one worker. */
final class TaskStays {
	long count;
	long total;
	long least = Long.MAX_VALUE;
	long most;
	final Histogram durations = new Histogram();

	void add(long duration) {
		count++;
		total += duration;
		if (duration < least) {
			least = duration;
		}

		if (duration > most) {
			most = duration;
		}

		durations.add(duration, 1, null);
	}

	void add(TaskStays other) {
		count += other.count;
		total += other.total;
		least = Math.min(least, other.least);
		most = Math.max(most, other.most);
		durations.add(other.durations);
	}
}
