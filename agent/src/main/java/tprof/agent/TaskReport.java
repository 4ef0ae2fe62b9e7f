package tprof.agent;

import java.util.*;

/** The report of tasks; source/model/report-bytes.ts reads it. */
final class TaskReport extends Report {
	private static final int FORMAT = 103;
	private static final int MOST_LONGEST = 40;

	private final Tasks tasks;
	private final TaskProbe probe;
	private final TaskWeaving weaving;

	TaskReport(Tasks tasks, TaskWeaving weaving) {
		super(FORMAT);
		this.tasks = tasks;
		this.weaving = weaving;
		probe = tasks.probe;
		begin();
	}

	@Override
	void write() {
		weaving.write(bytes);
		for (boolean isLoaded : new boolean[] {true, false}) {
			List<TaskPoint> missing = weaving.missing(isLoaded);
			bytes.number(missing.size());
			for (TaskPoint point : missing) {
				bytes.number(point.id);
			}
		}

		List<TaskWorker> workers = tasks.workers.all();
		long skipped = 0;
		for (TaskWorker worker : workers) {
			skipped += worker.skipped;
		}

		bytes.numbers(tasks.sampleMask + 1, skipped, tasks.dropped.get(), tasks.missed.get() + tasks.failed);
		bytes.texts(probe.faults());
		visits(workers);
		now();
		counters();
		// Last, as the program runs on: kinds that the lists above refer to must be included.
		bytes.texts(tasks.kinds.names());

		bytes.number(workers.size());
		for (TaskWorker worker : workers) {
			bytes.text(worker.name());
		}
	}

	private void visits(List<TaskWorker> workers) {
		for (int index = 0; index < workers.size(); index++) {
			Counters[] all = workers.get(index).visits;
			for (int at = 0; at < all.length; at++) {
				if (all[at] != null && all[at].count > 0) {
					Counters visits = all[at];
					bytes.numbers(index + 1, at / probe.states, at % probe.states, visits.count, visits.total, visits.least - 1, visits.most);
					visits.durations.write(bytes);
				}
			}
		}

		bytes.number(0);
	}

	private static final class Old implements Comparable<Old> {
		final int kind;
		final int state;
		final long age;
		final TaskWorker worker;

		Old(FollowedTask followed, long now, boolean isRun) {
			kind = followed.kind;
			state = followed.state;
			age = now - followed.since;
			worker = isRun ? followed.worker : null;
		}

		@Override
		public int compareTo(Old other) {
			return Long.compare(age, other.age);
		}
	}

	/** Writes the tasks in each state: number and time by kind and state, and those that have been there longest. */
	private void now() {
		final long now = System.nanoTime();
		final int states = probe.states;
		final Counters[] visits = new Counters[tasks.kinds.names().size() * states];
		final PriorityQueue<Old> oldest = new PriorityQueue<Old>();
		tasks.table.visit(new TaskTable.Visitor() {
			@Override
			public void visit(FollowedTask followed) {
				int at = followed.kind * states + followed.state;
				if (at < visits.length) {
					visits[at] = visits[at] == null ? new Counters(null) : visits[at];
					visits[at].ended(Math.max(0, now - followed.since), 0, false, 1, null);
					if (oldest.size() < MOST_LONGEST || now - followed.since > oldest.peek().age) {
						oldest.add(new Old(followed, now, probe.runs[followed.state]));
					}

					if (oldest.size() > MOST_LONGEST) {
						oldest.remove();
					}
				}
			}
		});

		for (int at = 0; at < visits.length; at++) {
			if (visits[at] != null) {
				bytes.numbers(at / states + 1, at % states, visits[at].count, visits[at].total, visits[at].most);
			}
		}

		bytes.number(0);
		List<Old> longest = new ArrayList<Old>(oldest);
		Collections.sort(longest, Collections.<Old>reverseOrder());
		bytes.number(longest.size());
		for (Old each : longest) {
			bytes.numbers(each.kind, each.state, each.age);
			bytes.text(each.worker == null ? "" : each.worker.name());
		}
	}

	private void counters() {
		List<TaskCounters.Reading> readings = tasks.counters.readings;
		bytes.number(readings.size());
		for (TaskCounters.Reading each : readings) {
			bytes.number(each.counter);
			bytes.text(each.of);
			bytes.number(each.value);
		}
	}
}
