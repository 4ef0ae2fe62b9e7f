package tprof.agent;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The classes that have our code in them now, and what could not be given any. Asked and told from any thread. */
final class WovenClasses {
	private static final int MOST_REFUSALS = 50;
	/** The tool must hear that we go on before its patience ends. */
	private static final int MOST_AT_ONCE = 200;

	private final Instrumentation instrumentation;
	/** Their names, and of how many methods. */
	private final Map<String, Integer> methods = new HashMap<String, Integer>();
	private final Map<String, String> refused = new TreeMap<String, String>();

	WovenClasses(Instrumentation instrumentation) {
		this.instrumentation = instrumentation;
	}

	/** So many methods of the class have our code now. */
	synchronized void put(String name, int count) {
		if (count == 0) {
			methods.remove(name);
		} else {
			methods.put(name, count);
		}
	}

	synchronized boolean has(String name) {
		return methods.containsKey(name);
	}

	synchronized boolean isRefused(String name) {
		return refused.containsKey(name);
	}

	synchronized void refuse(String name, String reason) {
		if (refused.size() < MOST_REFUSALS) {
			refused.put(name, reason);
		}
	}

	/** Reasons by names. */
	synchronized Map<String, String> refused() {
		return new TreeMap<String, String>(refused);
	}

	synchronized int classCount() {
		return methods.size();
	}

	synchronized int methodCount() {
		int count = 0;
		for (int each : methods.values()) {
			count += each;
		}

		return count;
	}

	/** In every class loader. */
	synchronized Set<Class<?>> loaded() {
		Set<Class<?>> classes = new HashSet<Class<?>>();
		if (!methods.isEmpty()) {
			for (Class<?> type : instrumentation.getAllLoadedClasses()) {
				if (methods.containsKey(type.getName())) {
					classes.add(type);
				}
			}
		}

		return classes;
	}

	/**
	 * Whether a class can be given our code. Hidden classes and the VM-anonymous ones of before JDK 15, which lambdas are, cannot:
	 * JDK 8 would make no lambda of that kind any more, ever. The JVM has a slash in the names of these alone.
	 */
	static boolean canChange(Instrumentation instrumentation, Class<?> type) {
		return !isHidden(type) && !type.isArray() && !type.isPrimitive() && type.getClassLoader() != WovenClasses.class.getClassLoader() && instrumentation.isModifiableClass(type);
	}

	static boolean isHidden(Class<?> type) {
		return type.getName().indexOf('/') >= 0;
	}

	/** Many at a time, as the JVM stands still for each; one by one only if some class makes it fail. */
	void retransform(Collection<Class<?>> classes) {
		List<Class<?>> all = new ArrayList<Class<?>>(classes);
		for (int at = 0; at < all.size(); at += MOST_AT_ONCE) {
			List<Class<?>> some = all.subList(at, Math.min(all.size(), at + MOST_AT_ONCE));
			try {
				instrumentation.retransformClasses(some.toArray(new Class<?>[0]));
			} catch (Throwable oneFails) {
				for (Class<?> type : some) {
					try {
						instrumentation.retransformClasses(type);
					} catch (Throwable error) {
						refuse(type.getName(), error.toString());
						put(type.getName(), 0);
					}
				}
			}
		}
	}
}
