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
		stays(workers);
		now();
		counters();
		// Last, as the program runs on: kinds that the lists above refer to must be included.
		bytes.texts(tasks.kinds.names());

		bytes.number(workers.size());
		for (TaskWorker worker : workers) {
			bytes.text(worker.name());
		}
	}

	private void stays(List<TaskWorker> workers) {
		for (int index = 0; index < workers.size(); index++) {
			Counters[] all = workers.get(index).stays;
			for (int at = 0; at < all.length; at++) {
				if (all[at] != null && all[at].count > 0) {
					Counters stays = all[at];
					bytes.numbers(index + 1, at / probe.states, at % probe.states, stays.count, stays.total, stays.least - 1, stays.most);
					stays.durations.write(bytes);
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

		Old(TaskRecord record, long now, boolean isRun) {
			kind = record.kind;
			state = record.state;
			age = now - record.since;
			worker = isRun ? record.worker : null;
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
		final Counters[] stays = new Counters[tasks.kinds.names().size() * states];
		final PriorityQueue<Old> oldest = new PriorityQueue<Old>();
		tasks.table.visit(new TaskTable.Visitor() {
			@Override
			public void visit(TaskRecord record) {
				int at = record.kind * states + record.state;
				if (at < stays.length) {
					stays[at] = stays[at] == null ? new Counters(null) : stays[at];
					stays[at].ended(Math.max(0, now - record.since), 0, false, 1, null);
					if (oldest.size() < MOST_LONGEST || now - record.since > oldest.peek().age) {
						oldest.add(new Old(record, now, probe.runs[record.state]));
					}

					if (oldest.size() > MOST_LONGEST) {
						oldest.remove();
					}
				}
			}
		});

		for (int at = 0; at < stays.length; at++) {
			if (stays[at] != null) {
				bytes.numbers(at / states + 1, at % states, stays[at].count, stays[at].total, stays[at].most);
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
