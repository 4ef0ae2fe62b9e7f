package tprof.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** What the tool reads: source/tracing/tasks/report.ts has the other side of each line here. */
final class TaskReport {
	/** Different from those of traces. */
	private static final int FORMAT = 103;
	private static final int MOST_LONGEST = 40;

	private final Tasks tasks;
	private final TaskProbe probe;
	private final long startNanos = System.nanoTime();
	private final long startMillis = System.currentTimeMillis();
	private long until;
	final Bytes bytes = new Bytes();

	TaskReport(Tasks tasks) {
		this.tasks = tasks;
		probe = tasks.probe;
	}

	void end() {
		until = System.nanoTime();
	}

	void make(int phase, long command, TaskWeaving weaving) {
		bytes.clear();
		bytes.number(FORMAT);
		bytes.number(phase);
		bytes.number(command);
		bytes.number(startMillis);
		bytes.number((until == 0 ? System.nanoTime() : until) - startNanos);
		bytes.woven(weaving.woven);

		points(weaving.missing(true));
		points(weaving.missing(false));

		List<TaskWorker> workers = tasks.workers.all();
		long skipped = 0;
		for (TaskWorker worker : workers) {
			skipped += worker.skipped;
		}

		bytes.number(tasks.oneIn());
		bytes.number(skipped);
		bytes.number(tasks.dropped.get());
		bytes.number(tasks.missed.get());
		bytes.texts(probe.faults());
		stays(workers);
		now();
		counters();
		// Names come last: what has been counted has one by now.
		bytes.texts(tasks.kinds.names());

		bytes.number(workers.size());
		for (TaskWorker worker : workers) {
			bytes.text(worker.name());
		}
	}

	private void points(List<TaskPoint> points) {
		bytes.number(points.size());
		for (TaskPoint point : points) {
			bytes.number(point.id);
		}
	}

	private void stays(List<TaskWorker> workers) {
		for (int index = 0; index < workers.size(); index++) {
			TaskStays[] all = workers.get(index).stays;
			for (int at = 0; at < all.length; at++) {
				TaskStays stays = all[at];
				if (stays != null && stays.count > 0) {
					bytes.number(index + 1);
					bytes.number(at / probe.states);
					bytes.number(at % probe.states);
					bytes.number(stays.count);
					bytes.number(stays.total);
					bytes.number(stays.least);
					bytes.number(stays.most);
					stays.durations.write(bytes);
				}
			}
		}

		bytes.number(0);
	}

	private static final class Old {
		final int kind;
		final int state;
		final long since;
		final String worker;

		Old(TaskRecord record, boolean isRun) {
			kind = record.kind;
			state = record.state;
			since = record.since;
			worker = isRun && record.worker != null ? record.worker.name() : "";
		}
	}

	/** Tasks that are in a state now: how many by kind and state, the time they have been in it, and who longest. */
	private void now() {
		final long now = System.nanoTime();
		final int states = probe.states;
		final long[][] sums = new long[3][tasks.kinds.names().size() * states];
		final List<Old> oldest = new ArrayList<Old>();
		for (int stripe = 0; stripe < TaskTable.STRIPES; stripe++) {
			tasks.table.visit(stripe, new TaskTable.Visitor() {
				@Override
				public void visit(TaskRecord record) {
					int at = record.kind * states + record.state;
					long age = Math.max(0, now - record.since);
					if (at < sums[0].length) {
						sums[0][at]++;
						sums[1][at] += age;
						sums[2][at] = Math.max(sums[2][at], age);
						if (oldest.size() < MOST_LONGEST || record.since - oldest.get(oldest.size() - 1).since < 0) {
							keep(oldest, new Old(record, probe.runs[record.state]));
						}
					}
				}
			});
		}

		for (int at = 0; at < sums[0].length; at++) {
			if (sums[0][at] > 0) {
				bytes.number(at / states + 1);
				bytes.number(at % states);
				for (long[] sum : sums) {
					bytes.number(sum[at]);
				}
			}
		}

		bytes.number(0);
		bytes.number(oldest.size());
		for (Old each : oldest) {
			bytes.number(each.kind);
			bytes.number(each.state);
			bytes.number(now - each.since);
			bytes.text(each.worker);
		}
	}

	private static void keep(List<Old> oldest, Old one) {
		int at = Collections.binarySearch(oldest, one, new Comparator<Old>() {
			@Override
			public int compare(Old a, Old b) {
				return Long.signum(a.since - b.since);
			}
		});
		oldest.add(at < 0 ? -at - 1 : at, one);
		if (oldest.size() > MOST_LONGEST) {
			oldest.remove(MOST_LONGEST);
		}
	}

	private void counters() {
		List<TaskCounters.Reading> readings = tasks.counters.readings();
		bytes.number(readings.size());
		for (TaskCounters.Reading each : readings) {
			bytes.number(each.counter);
			bytes.text(each.of);
			bytes.number(each.value);
		}
	}
}
