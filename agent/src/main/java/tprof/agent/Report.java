package tprof.agent;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What the tool reads: source/model/trace-report-bytes.ts has the other side of each line here. */
final class Report {
	static final int SURVEYED = 1;
	static final int TRACING = 2;
	static final int OVER = 3;

	private static final int FORMAT = 4;
	private static final int MOST_ACTIVE = 64;

	private final Recorder recorder;
	final Totals totals = new Totals();
	private final ThreadCalls threads = new ThreadCalls(totals);
	private final long startNanos = System.nanoTime();
	private final long startMillis = System.currentTimeMillis();
	/** Since when, and until when, calls are counted (System.nanoTime()); 0: not yet. */
	private long since;
	private long until;
	final Bytes bytes = new Bytes();

	Report(Recorder recorder) {
		this.recorder = recorder;
	}

	void begin() {
		since = since == 0 ? System.nanoTime() : since;
	}

	void end() {
		until = System.nanoTime();
	}

	void make(int phase, long command, Survey survey, Weaving weaving) {
		bytes.clear();
		bytes.number(FORMAT);
		bytes.number(phase);
		bytes.number(command);
		bytes.number(since == 0 ? 0 : startMillis + (since - startNanos) / 1_000_000);
		bytes.number(since == 0 ? 0 : (until == 0 ? System.nanoTime() : until) - since);
		survey(survey);
		bytes.woven(weaving.woven);

		List<ThreadRecord> records = recorder.all();
		long lost = recorder.lost;
		long traces = 0;
		int owners = 0;
		for (ThreadRecord record : records) {
			lost += record.lost;
			traces += record.traces;
			owners += record.owner == null ? 0 : 1;
		}

		bytes.number(lost);
		bytes.number(traces);
		bytes.number(owners);
		totals.add(records);
		methods(weaving.methods.all());
		int nodes = totals.count();
		nodes(nodes);
		active(records);
		kept(records);
		threads.write(records, nodes, bytes);
	}

	private void survey(Survey survey) {
		bytes.number(survey.classes.size());
		bytes.number(survey.methods);
		bytes.texts(survey.named);

		bytes.texts(survey.refused);

		bytes.number(survey.unmatched.size());
		for (Map.Entry<Pattern, List<String>> each : survey.unmatched.entrySet()) {
			bytes.text(each.getKey().text);
			bytes.number(survey.withoutMethod.contains(each.getKey()) ? 1 : 0);
			bytes.texts(each.getValue());
		}
	}

	private void methods(List<Methods.Woven> methods) {
		bytes.number(methods.size());
		for (Methods.Woven method : methods) {
			bytes.text(method.className);
			bytes.text(method.name);
			bytes.text(method.descriptor);
			bytes.number(method.isLetGo ? 1 : 0);
			bytes.number(method.isThinned ? Turns.EVERY : 1);
		}
	}

	private void nodes(int count) {
		bytes.number(count - 1);
		for (int node = 1; node < count; node++) {
			bytes.number(totals.parent(node));
			bytes.number(totals.method(node));
			for (int which = 0; which < Totals.COUNTERS; which++) {
				bytes.number(totals.counter(node, which) - (which == Totals.LEAST ? 1 : 0));
			}

			totals.durations(node).write(bytes);
		}
	}

	/** Traces that go on, the oldest first; how many there are in all comes first. */
	private void active(List<ThreadRecord> records) {
		final long now = System.nanoTime();
		List<Open> open = new ArrayList<Open>();
		for (ThreadRecord record : records) {
			Thread owner = record.owner;
			int depth = record.openCalls();
			int method = record.head();
			if (owner != null && depth > 0 && method >= 0) {
				open.add(new Open(owner, method, depth, now - record.since()));
			}
		}

		Collections.sort(open, new Comparator<Open>() {
			@Override
			public int compare(Open a, Open b) {
				return Long.compare(b.age, a.age);
			}
		});
		bytes.number(open.size());
		int shown = Math.min(open.size(), MOST_ACTIVE);
		bytes.number(shown);
		for (Open each : open.subList(0, shown)) {
			bytes.text(each.thread.getName());
			bytes.number(each.method);
			bytes.number(each.age);
			bytes.number(each.depth);
		}
	}

	private static final class Open {
		final Thread thread;
		final int method;
		final int depth;
		final long age;

		Open(Thread thread, int method, int depth, long age) {
			this.thread = thread;
			this.method = method;
			this.depth = depth;
			this.age = age;
		}
	}

	/** The slowest traces of all threads, whole, the slowest first. */
	private void kept(List<ThreadRecord> records) {
		List<Kept> all = new ArrayList<Kept>();
		for (ThreadRecord record : records) {
			for (int slot = 0; slot < record.slow.kept.length; slot++) {
				Kept kept = Kept.of(record, slot);
				if (kept != null) {
					all.add(kept);
				}
			}
		}

		Collections.sort(all, new Comparator<Kept>() {
			@Override
			public int compare(Kept a, Kept b) {
				return Long.compare(b.duration, a.duration);
			}
		});
		List<Kept> slowest = all.subList(0, Math.min(all.size(), recorder.keep));
		bytes.number(slowest.size());
		for (Kept kept : slowest) {
			bytes.number(startMillis + (kept.times[0] - startNanos) / 1_000_000);
			bytes.number(kept.key);
			bytes.text(kept.thread);
			bytes.number(kept.duration);
			bytes.number(kept.left);
			bytes.number(kept.count);
			long last = kept.times[0];
			for (int index = 0; index < kept.count; index++) {
				bytes.number(kept.actions[index]);
				bytes.number(kept.times[index] - last);
				last = kept.times[index];
			}
		}
	}
}
