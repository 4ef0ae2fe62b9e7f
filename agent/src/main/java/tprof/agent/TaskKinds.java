package tprof.agent;

import java.util.*;

/** Kinds of tasks: the task's class, or the class of the object that it runs. Some are excluded. */
final class TaskKinds {
	static final int EXCLUDED = -1;
	/** Flag of a kind: the object that the task runs is still null. */
	static final int UNNAMED = 1 << 30;
	private static final int MOST = 200;
	private static final int MOST_CLASSES = 4096;
	private static final int MOST_UNWRAPPED = 6;
	private static final int BYTES_OF_CLASS = 120;

	private static final class Known extends Slots.Weak<Class<?>> {
		/** Path to the object that the task runs; null: the task itself. */
		final FieldPath inner;
		final int kind;

		Known(Class<?> type, FieldPath inner, int kind) {
			super(type);
			this.inner = inner;
			this.kind = kind;
		}
	}

	private final TaskProbe probe;
	private final HeapBudget budget;
	private final SpinLock lock = new SpinLock();
	private final Slots<Known> classes = new Slots<Known>();
	private int learned;
	private final List<String> names = new ArrayList<String>();
	private final Map<String, Integer> ids = new HashMap<String, Integer>();

	TaskKinds(TaskProbe probe, HeapBudget budget) {
		this.probe = probe;
		this.budget = budget;
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
			if (learned++ < MOST_CLASSES && budget.take(BYTES_OF_CLASS)) {
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

	/** All lambdas of a class are one kind, as their numbers are arbitrary. */
	private static String nameOf(Class<?> type) {
		String name = type.getName();
		int lambda = name.indexOf("$$Lambda");
		return lambda < 0 ? name : name.substring(0, lambda) + "$$Lambda";
	}

	static String simple(Class<?> type) {
		return Pattern.simple(nameOf(type));
	}
}
