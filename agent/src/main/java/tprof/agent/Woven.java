package tprof.agent;

import java.lang.ref.WeakReference;
import java.util.*;

/** The woven classes. A program may load a class in many class loaders: only some of these copies are woven. */
final class Woven {
	/** On JDK 8 weaving one stops the whole JVM, for a time that grows with its number of classes. */
	static final int MOST_COPIES = 20;

	private static final class Copy extends WeakReference<Object> {
		int methods;

		Copy(Object loader) {
			super(loader);
		}
	}

	private final Map<String, List<Copy>> copies = new HashMap<String, List<Copy>>();

	/** Sets the number of woven methods of a class; returns false if the class has too many copies. */
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

	/** Writes the numbers of classes and methods; copies count once. */
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
