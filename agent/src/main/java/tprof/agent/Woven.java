package tprof.agent;

import java.lang.ref.WeakReference;
import java.util.*;

/** The classes that have our code. A program may load one in many class loaders: only some of these copies get any. */
final class Woven {
	/** On JDK 8 each stops the whole JVM for a time that grows with the classes it has. */
	static final int MOST_COPIES = 20;

	private static final class Copy extends WeakReference<Object> {
		int methods;

		Copy(Object loader) {
			super(loader);
		}
	}

	private final Map<String, List<Copy>> copies = new HashMap<String, List<Copy>>();

	/** In how many methods a class has our code. False: it has too many copies. */
	synchronized boolean put(ClassLoader loader, String name, int methods) {
		List<Copy> all = copiesOf(name);
		Copy copy = find(all, loader);
		if (copy == null && all.size() < MOST_COPIES) {
			copies.put(name, all);
			all.add(copy = new Copy(loader == null ? Woven.class : loader));
		}

		if (copy != null) {
			copy.methods = methods;
		}

		return copy != null;
	}

	synchronized void remove(ClassLoader loader, String name) {
		List<Copy> all = copiesOf(name);
		all.remove(find(all, loader));
	}

	synchronized boolean has(Class<?> type) {
		return find(copiesOf(type.getName()), type.getClassLoader()) != null;
	}

	/** Those whose class loaders are still there. */
	private List<Copy> copiesOf(String name) {
		List<Copy> all = copies.containsKey(name) ? copies.get(name) : new ArrayList<Copy>(1);
		for (Iterator<Copy> each = all.iterator(); each.hasNext();) {
			if (each.next().get() == null) {
				each.remove();
			}
		}

		return all;
	}

	private static Copy find(List<Copy> all, ClassLoader loader) {
		for (Copy copy : all) {
			if (copy.get() == (loader == null ? Woven.class : loader)) {
				return copy;
			}
		}

		return null;
	}

	/** Copies count as one. */
	synchronized void write(Bytes to) {
		int classes = 0;
		int methods = 0;
		for (List<Copy> all : copies.values()) {
			int count = all.isEmpty() ? 0 : all.get(0).methods;
			classes += count > 0 ? 1 : 0;
			methods += count;
		}

		to.numbers(classes, methods);
	}
}
