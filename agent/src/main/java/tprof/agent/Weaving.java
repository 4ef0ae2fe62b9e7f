package tprof.agent;

import java.lang.instrument.*;
import java.security.ProtectionDomain;
import java.util.*;

/** Weaves classes, including those loaded later, and restores them. */
abstract class Weaving implements ClassFileTransformer {
	private static final int MOST_REFUSALS = 50;
	/** A retransformation stops the JVM; before JDK 17, for each class as long as a scan of all its classes takes. */
	private static final int MOST_AT_ONCE = Double.parseDouble(System.getProperty("java.specification.version")) < 17 ? 10 : 200;

	final Instrumentation instrumentation;
	final Channel channel;
	private final HeapBudget budget;
	private volatile boolean isOn;
	private boolean hasBegun;
	/** Classes were loaded since the last look: some to be woven may have been missed. */
	private volatile boolean hasNewClasses;
	private final Woven woven = new Woven();
	/** What could not be woven, and why. */
	private final Map<String, String> refused = new TreeMap<String, String>();

	Weaving(Instrumentation instrumentation, Channel channel, HeapBudget budget) {
		this.instrumentation = instrumentation;
		this.channel = channel;
		this.budget = budget;
	}

	/** Weaves no more, and forgets what else the session has on the heap; `unweave` still works. */
	void drop() {
		isOn = false;
	}

	/** Excludes the calling thread until `leave` of the result. */
	abstract Object enter();

	abstract void leave(Object entered);

	/** Returns the woven class; null if there is nothing to weave. `type`: null while the class is being loaded. */
	abstract byte[] weave(ClassLoader loader, String name, Class<?> type, byte[] bytes);

	/** Returns the loaded classes to be woven; while they were loaded, this may not have been known. */
	abstract Collection<Class<?>> meant();

	/** Weaves these classes, which may be woven already, and from now on those that are loaded. */
	final void begin(Collection<Class<?>> classes) {
		if (!isOn) {
			isOn = true;
			hasBegun = true;
			instrumentation.addTransformer(this, true);
		}

		retransform(classes);
	}

	/** Weaves classes that were missed while they were loaded. */
	final void weaveNewClasses() {
		if (isOn && hasNewClasses) {
			hasNewClasses = false;
			List<Class<?>> missed = new ArrayList<Class<?>>();
			for (Class<?> type : meant()) {
				if (!woven.has(type) && !isRefused(type.getName())) {
					missed.add(type);
				}
			}

			retransform(missed);
		}
	}

	/**
	 * Restores all classes. Any that cannot be restored are among the refused. Throws OutOfMemoryError if there is no
	 * memory for it now: then it is to be called again.
	 */
	final void unweave() {
		if (hasBegun) {
			isOn = false;
			// First: the JVM then needs no copy of a class on the heap, which may be full.
			instrumentation.removeTransformer(this);
			retransform(woven());
		}
	}

	@Override
	public final byte[] transform(ClassLoader loader, String internalName, Class<?> type, ProtectionDomain domain, byte[] bytes) {
		// The code below may need this class of method handles itself: then the JVM could never load it.
		if (internalName == null || internalName.startsWith("java/lang/invoke/")) {
			return null;
		}

		channel.goOn();
		if (!isOn || (type != null && isHidden(type)) || loader == Weaving.class.getClassLoader()) {
			return null;
		}

		// A thread of the application may be loading the class.
		Object entered = enter();
		String name = internalName.replace('/', '.');
		try {
			hasNewClasses |= type == null;
			return weave(loader, name, type, bytes);
		} catch (OutOfMemoryError full) {
			budget.fail();
			return null;
		} catch (Throwable error) {
			refuse(name, error.toString());
			return null;
		} finally {
			leave(entered);
		}
	}

	/** Notes the number of woven methods of a class; returns false if it must stay as it is. */
	final boolean put(ClassLoader loader, String name, int count) {
		if (count == 0) {
			woven.remove(loader, name);
		}

		return count > 0 && hasRoom(loader, name, count);
	}

	private boolean hasRoom(ClassLoader loader, String name, int count) {
		boolean hasRoom = woven.put(loader, name, count);
		if (!hasRoom) {
			refuse(name, "more than " + Woven.MOST_COPIES + " class loaders have it; in the others it is not followed");
		}

		return hasRoom;
	}

	private synchronized boolean isRefused(String name) {
		return refused.containsKey(name);
	}

	final synchronized void refuse(String name, String reason) {
		if (refused.size() < MOST_REFUSALS) {
			refused.put(name, reason);
		}
	}

	final synchronized void write(Bytes to) {
		woven.write(to);
		to.texts(refused);
	}

	/** Returns the loaded classes except arrays. Those of the class path come first: of many copies only some are woven. */
	static Collection<Class<?>> loaded(Instrumentation instrumentation) {
		Deque<Class<?>> loaded = new ArrayDeque<Class<?>>();
		for (Class<?> type : instrumentation.getAllLoadedClasses()) {
			if (!type.isArray() && type.getClassLoader() == ClassLoader.getSystemClassLoader()) {
				loaded.addFirst(type);
			} else if (!type.isArray()) {
				loaded.addLast(type);
			}
		}

		return loaded;
	}

	/** Returns the woven classes of all class loaders. */
	final Set<Class<?>> woven() {
		Set<Class<?>> classes = new LinkedHashSet<Class<?>>();
		for (Class<?> type : instrumentation.getAllLoadedClasses()) {
			if (woven.has(type)) {
				classes.add(type);
			}
		}

		return classes;
	}

	/**
	 * Whether a class can be woven. Hidden classes, and before JDK 15 VM-anonymous ones, which lambdas are, cannot: JDK 8 could
	 * create no such lambda any more. Only their names contain a slash.
	 */
	static boolean canChange(Instrumentation instrumentation, Class<?> type) {
		return !isHidden(type) && type.getClassLoader() != Weaving.class.getClassLoader() && instrumentation.isModifiableClass(type);
	}

	static boolean isHidden(Class<?> type) {
		return type.getName().indexOf('/') >= 0;
	}

	/** Retransforms some classes at a time, as the JVM is stopped meanwhile; one by one if that fails. */
	final void retransform(Collection<Class<?>> classes) {
		List<Class<?>> all = new ArrayList<Class<?>>();
		for (Class<?> type : classes) {
			if (!isOn || hasRoom(type.getClassLoader(), type.getName(), 0)) {
				all.add(type);
			}
		}

		for (int at = 0; at < all.size() && !(isOn && channel.isDeserted()); at += MOST_AT_ONCE) {
			List<Class<?>> some = all.subList(at, Math.min(all.size(), at + MOST_AT_ONCE));
			channel.goOn();
			try {
				instrumentation.retransformClasses(some.toArray(new Class<?>[0]));
			} catch (Throwable oneFails) {
				for (Class<?> type : some) {
					retransform(type);
				}
			}
		}
	}

	private static String reason(Throwable error) {
		// HotSpot's message for a class in the error state.
		if (error instanceof InternalError && String.valueOf(error.getMessage()).endsWith("invalid class")) {
			return "its static initialiser has failed: the JVM does not let it be changed";
		}

		// We add no fields or methods ourselves: those in the class are not in what is retransformed.
		return error instanceof UnsupportedOperationException
				? "another agent has added members to it: the JVM does not let it be changed"
				: error.toString();
	}

	private void retransform(Class<?> type) {
		channel.goOn();
		try {
			instrumentation.retransformClasses(type);
		} catch (OutOfMemoryError full) {
			throw full;
		} catch (Throwable error) {
			refuse(type.getName(), reason(error));
			woven.remove(type.getClassLoader(), type.getName());
		}
	}
}
