package tprof.agent;

import java.util.*;

/** The report of traced methods; source/model/report-bytes.ts reads it. */
final class TraceReport extends Report {
	private static final int FORMAT = 4;
	private static final int MOST_ACTIVE = 64;

	final Totals totals = new Totals();
	private final Recorder recorder;
	private final TraceWeaving weaving;
	Survey survey;

	TraceReport(Recorder recorder, TraceWeaving weaving) {
		super(FORMAT);
		this.recorder = recorder;
		this.weaving = weaving;
	}

	@Override
	void write() {
		bytes.numbers(survey.classNames.size(), survey.methods);
		bytes.texts(survey.named);
		bytes.texts(survey.refused);
		bytes.number(survey.unmatched.size());
		for (Map.Entry<Pattern, List<String>> each : survey.unmatched.entrySet()) {
			bytes.text(each.getKey().text);
			bytes.number(survey.withoutMethod.contains(each.getKey()) ? 1 : 0);
			bytes.texts(each.getValue());
		}

		weaving.write(bytes);
		List<ThreadCalls> allCalls = recorder.all();
		long lost = recorder.lost + recorder.failed;
		long traces = 0;
		int owners = 0;
		for (ThreadCalls ofThread : allCalls) {
			lost += ofThread.lost;
			traces += ofThread.traces;
			owners += ofThread.owner == null ? 0 : 1;
		}

		bytes.numbers(lost, traces, owners);
		totals.add(allCalls);
		List<Open> active = active(allCalls);
		List<Trace> slowest = slowest(allCalls);
		// Last, as the program runs on: methods that the lists above refer to must be included.
		methods();
		int paths = paths();
		write(active);
		writeTraces(slowest);
		totals.writeThreads(allCalls, paths, bytes);
	}

	private void methods() {
		List<Methods.Woven> methods = recorder.methods.all();
		bytes.number(methods.size());
		for (Methods.Woven method : methods) {
			bytes.text(method.className);
			bytes.text(method.name);
			bytes.text(method.descriptor);
			bytes.numbers(method.isReleased ? 1 : 0, method.isThinned ? Thinning.EVERY : 1);
		}
	}

	/** Writes the call paths and returns their number. */
	private int paths() {
		int count = totals.paths.count();
		bytes.number(count - 1);
		for (int index = 1; index < count; index++) {
			Node path = totals.paths.node(index);
			bytes.numbers(path.parent, path.method);
			path.write(true, bytes);
		}

		return count;
	}

	private static final class Open implements Comparable<Open> {
		Thread thread;
		int method;
		int depth;
		long age;

		@Override
		public int compareTo(Open other) {
			return Long.compare(other.age, age);
		}
	}

	/** Traces in progress, the oldest first. */
	private static List<Open> active(List<ThreadCalls> allCalls) {
		long now = System.nanoTime();
		List<Open> all = new ArrayList<Open>();
		for (ThreadCalls ofThread : allCalls) {
			Open open = new Open();
			open.thread = ofThread.owner;
			open.depth = ofThread.open;
			open.method = ofThread.head();
			open.age = now - ofThread.since();
			if (open.thread != null && open.depth > 0 && open.method >= 0) {
				all.add(open);
			}
		}

		Collections.sort(all);
		return all;
	}

	/** Writes the number of all, then the oldest. */
	private void write(List<Open> all) {
		int shown = Math.min(all.size(), MOST_ACTIVE);
		bytes.numbers(all.size(), shown);
		for (Open each : all.subList(0, shown)) {
			bytes.text(each.thread.getName());
			bytes.numbers(each.method, each.age, each.depth);
		}
	}

	private List<Trace> slowest(List<ThreadCalls> allCalls) {
		List<Trace> all = new ArrayList<Trace>();
		for (ThreadCalls ofThread : allCalls) {
			ofThread.slow.list(all);
		}

		Collections.sort(all);
		return all.subList(0, Math.min(all.size(), recorder.keep));
	}

	private void writeTraces(List<Trace> slowest) {
		bytes.number(slowest.size());
		for (Trace trace : slowest) {
			bytes.numbers(millisOf(trace.times[0]), trace.key);
			bytes.text(trace.thread);
			bytes.numbers(trace.duration, trace.left, trace.actions.length);
			long last = trace.times[0];
			for (int index = 0; index < trace.actions.length; index++) {
				bytes.numbers(trace.actions[index], trace.times[index] - last);
				last = trace.times[index];
			}
		}
	}
}
