package tprof.agent;

import java.util.*;

/** A validated probe, a line per item, fields separated by tabs; source/tracing/task-session.ts writes it. */
final class TaskProbe {
	static final int MOST_STATES = 24;

	final List<TaskPoint> points = new ArrayList<TaskPoint>();
	/** By class of tasks: path to the object that the task runs. */
	final Map<String, FieldPath> kinds = new HashMap<String, FieldPath>();
	final List<TaskCounters.Counter> counters = new ArrayList<TaskCounters.Counter>();
	private final List<String> excluded = new ArrayList<String>();
	final boolean[] runs = new boolean[MOST_STATES];
	final boolean[] ends = new boolean[MOST_STATES];
	int states;
	int most = 100_000;
	int periodMs = 1000;
	boolean hasCurrent;
	/** Classes that points name, and those of them whose subclasses are included. */
	final Set<String> classNames = new HashSet<String>();
	final Set<String> superNames = new HashSet<String>();

	static TaskProbe parse(String text) {
		TaskProbe probe = new TaskProbe();
		for (String line : text.split("\n")) {
			probe.take(line.split("\t"));
		}

		for (TaskPoint point : probe.points) {
			probe.hasCurrent |= point.source == TaskPoint.CURRENT;
			probe.classNames.add(point.className);
			if (point.isForSubclasses) {
				probe.superNames.add(point.className);
			}

			for (TaskCounters.Counter counter : probe.counters) {
				point.isHolder |= counter.isOfHolder() && counter.className.equals(point.className);
			}
		}

		return probe;
	}

	private void take(String[] words) {
		switch (words[0]) {
		case "most":
			most = Integer.parseInt(words[1]);
			break;
		case "period":
			periodMs = Math.max(50, Integer.parseInt(words[1]));
			break;
		case "state":
			runs[states] = words[1].equals("running");
			ends[states] = words[1].equals("end");
			states++;
			break;
		case "point":
			points.add(new TaskPoint(points.size(), words));
			break;
		case "kind":
			kinds.put(words[1], new FieldPath(words[2]));
			break;
		case "exclude":
			excluded.add(words[1]);
			break;
		case "counter":
			counters.add(new TaskCounters.Counter(words[1], words[2], words[3]));
			break;
		}
	}

	/** Returns the faults of paths that showed so far. */
	List<String> faults() {
		List<FieldPath> paths = new ArrayList<FieldPath>(kinds.values());
		for (TaskPoint point : points) {
			paths.add(point.path);
		}

		for (TaskCounters.Counter counter : counters) {
			paths.add(counter.path);
		}

		List<String> faults = new ArrayList<String>();
		for (FieldPath path : paths) {
			String fault = path == null ? null : path.fault();
			if (fault != null) {
				faults.add(fault);
			}
		}

		return faults;
	}

	boolean isExcluded(String className) {
		for (String glob : excluded) {
			if (Pattern.glob(glob, className)) {
				return true;
			}
		}

		return false;
	}
}
