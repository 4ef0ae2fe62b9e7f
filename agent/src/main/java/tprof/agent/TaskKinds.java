package tprof.agent;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a task is called: its class, or that of what it runs. Some are not followed. */
final class TaskKinds {
	/** Of tasks that are not followed. */
	static final int EXCLUDED = -1;
	/** A bit of the kind: what the task runs is not there yet. */
	static final int UNNAMED = 1 << 30;
	private static final int MOST = 200;
	private static final int MOST_CLASSES = 4096;
	private static final int MOST_UNWRAPPED = 6;

	private static final class Known {
		final WeakReference<Class<?>> type;
		/** Leads to what runs; null: it is it. */
		final FieldPath inner;
		final int kind;

		Known(Class<?> type, FieldPath inner, int kind) {
			this.type = new WeakReference<Class<?>>(type);
			this.inner = inner;
			this.kind = kind;
		}
	}

	private final TaskProbe probe;
	private final SpinLock lock = new SpinLock(1);
	/** Open addressing by the class's identity; replaced when it grows. */
	private volatile Known[] slots = new Known[256];
	private int used;
	private final List<String> names = new ArrayList<String>();
	private final Map<String, Integer> ids = new HashMap<String, Integer>();

	TaskKinds(TaskProbe probe) {
		this.probe = probe;
		names.add("(other kinds)");
	}

	int of(Object task) {
		Object at = task;
		for (int unwrapped = 0;; unwrapped++) {
			Known known = known(at.getClass());
			if (known.kind == EXCLUDED) {
				return EXCLUDED;
			}

			if (known.inner == null || unwrapped == MOST_UNWRAPPED) {
				return known.kind;
			}

			Object inner = known.inner.from(at);
			if (inner == null) {
				return known.kind | UNNAMED;
			}

			at = inner;
		}
	}

	List<String> names() {
		if (!lock.take(0)) {
			return new ArrayList<String>();
		}

		try {
			return new ArrayList<String>(names);
		} finally {
			lock.free(0);
		}
	}

	private Known known(Class<?> type) {
		Known[] in = slots;
		int mask = in.length - 1;
		for (int at = System.identityHashCode(type) & mask;; at = (at + 1) & mask) {
			Known each = in[at];
			if (each == null) {
				return learn(type);
			}

			if (each.type.get() == type) {
				return each;
			}
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

		if (!lock.take(0)) {
			return new Known(type, inner, isExcluded ? EXCLUDED : 0);
		}

		try {
			Known known = new Known(type, inner, isExcluded ? EXCLUDED : id(nameOf(type)));
			if (used < MOST_CLASSES) {
				if (++used * 2 > slots.length) {
					grow();
				}

				enter(slots, known, type);
			}

			return known;
		} finally {
			lock.free(0);
		}
	}

	private void grow() {
		Known[] to = new Known[slots.length * 2];
		for (Known each : slots) {
			Class<?> type = each == null ? null : each.type.get();
			if (type != null) {
				enter(to, each, type);
			}
		}

		slots = to;
	}

	private static void enter(Known[] to, Known known, Class<?> type) {
		int mask = to.length - 1;
		int at = System.identityHashCode(type) & mask;
		while (to[at] != null) {
			at = (at + 1) & mask;
		}

		to[at] = known;
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
