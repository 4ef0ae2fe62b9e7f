package tprof.agent;

import java.util.*;

/** What a task is called: its class, or that of what it runs. Some are not followed. */
final class TaskKinds {
	/** Of tasks that are not followed. */
	static final int EXCLUDED = -1;
	/** A bit of the kind: what the task runs is not there yet. */
	static final int UNNAMED = 1 << 30;
	private static final int MOST = 200;
	private static final int MOST_CLASSES = 4096;
	private static final int MOST_UNWRAPPED = 6;

	private static final class Known extends Slots.Weak<Class<?>> {
		/** Leads to what runs; null: it is it. */
		final FieldPath inner;
		final int kind;

		Known(Class<?> type, FieldPath inner, int kind) {
			super(type);
			this.inner = inner;
			this.kind = kind;
		}
	}

	private final TaskProbe probe;
	private final SpinLock lock = new SpinLock();
	private final Slots<Known> classes = new Slots<Known>();
	private int learned;
	private final List<String> names = new ArrayList<String>();
	private final Map<String, Integer> ids = new HashMap<String, Integer>();

	TaskKinds(TaskProbe probe) {
		this.probe = probe;
		names.add("(other kinds)");
	}

	int of(Object task) {
		Object at = task;
		for (int unwrapped = 0;; unwrapped++) {
			Known known = classes.find(at.getClass(), System.identityHashCode(at.getClass()));
			known = known == null ? learn(at.getClass()) : known;
			if (known.kind == EXCLUDED) {
				return EXCLUDED;
			}

			if (known.inner == null || unwrapped == MOST_UNWRAPPED) {
				return known.kind;
			}

			Object inner = known.inner.from(at, at.getClass());
			if (inner == null) {
				return known.kind | UNNAMED;
			}

			at = inner;
		}
	}

	List<String> names() {
		if (!lock.take()) {
			return new ArrayList<String>();
		}

		try {
			return new ArrayList<String>(names);
		} finally {
			lock.free();
		}
	}

	private Known learn(Class<?> type) {
		FieldPath inner = null;
		boolean isExcluded = false;
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (inner == null) {
				inner = probe.kinds.get(each.getName());
			}

			isExcluded |= probe.isExcluded(each.getName());
		}

		if (!lock.take()) {
			return new Known(type, inner, isExcluded ? EXCLUDED : 0);
		}

		try {
			Known known = new Known(type, inner, isExcluded ? EXCLUDED : id(nameOf(type)));
			if (learned++ < MOST_CLASSES) {
				classes.add(known);
			}

			return known;
		} finally {
			lock.free();
		}
	}

	private int id(String name) {
		Integer known = ids.get(name);
		if (known != null) {
			return known;
		}

		if (names.size() == MOST) {
			return 0;
		}

		ids.put(name, names.size());
		names.add(name);
		return names.size() - 1;
	}

	/** All lambdas of a class are one kind: their numbers mean nothing. */
	private static String nameOf(Class<?> type) {
		String name = type.getName();
		int lambda = name.indexOf("$$Lambda");
		return lambda < 0 ? name : name.substring(0, lambda) + "$$Lambda";
	}

	static String simple(Class<?> type) {
		String name = nameOf(type);
		return name.substring(name.lastIndexOf('.') + 1);
	}
}
