package tprof.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.*;

/** The classes that have our code in them: puts it in, into classes that are loaded later too, and takes it out. */
abstract class Weaving implements ClassFileTransformer {
	private static final int MOST_REFUSALS = 50;
	/** The JVM stands still meanwhile: before JDK 17 for each class as long as it takes to go through all that it has. */
	private static final int MOST_AT_ONCE = Double.parseDouble(System.getProperty("java.specification.version")) < 17 ? 10 : 200;

	final Instrumentation instrumentation;
	final Channel channel;
	private volatile boolean isOn;
	/** Seen at load: some that are meant may have been missed among them. */
	private volatile boolean hasNewClasses;
	private final Woven woven = new Woven();
	/** What could not be given any, and why. */
	private final Map<String, String> refused = new TreeMap<String, String>();

	Weaving(Instrumentation instrumentation, Channel channel) {
		this.instrumentation = instrumentation;
		this.channel = channel;
	}

	/** What the calling thread calls is not followed until `leave` gets what this returns. */
	abstract Object enter();

	abstract void leave(Object entered);

	/** The class with our code; null: it needs none. `type`: null while it is being loaded. */
	abstract byte[] weave(ClassLoader loader, String name, Class<?> type, byte[] bytes);

	/** Loaded classes that are meant, though they might not have been known to be while they were loaded. */
	abstract Collection<Class<?>> meant();

	/** Puts our code into these classes, which may have it already, and from now on into those that are loaded. */
	final void begin(Collection<Class<?>> classes) {
		if (!isOn) {
			isOn = true;
			instrumentation.addTransformer(this, true);
		}

		retransform(classes);
	}

	/** Looks for classes that are meant and were loaded since. */
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

	/** Takes everything out. Classes that resist, which has not been seen, are named among the refused. */
	final void unweave() {
		if (isOn) {
			isOn = false;
			retransform(woven());
			instrumentation.removeTransformer(this);
		}
	}

	@Override
	public final byte[] transform(ClassLoader loader, String internalName, Class<?> type, ProtectionDomain domain, byte[] bytes) {
		// What is called here for a class of method handles may need that class: the JVM would never load it then.
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
		} catch (Throwable error) {
			refuse(name, error.toString());
			return null;
		} finally {
			leave(entered);
		}
	}

	/** In how many methods a class gets our code. False: it gets none. */
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

	/** Loaded classes, but for arrays; those of the class path first, as of many copies of a class only some get our code. */
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

	/** The classes that have our code, in every class loader. */
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
	 * Whether a class can be given our code. Hidden classes and the VM-anonymous ones of before JDK 15, which lambdas are, cannot:
	 * JDK 8 would make no lambda of that kind any more, ever. The JVM has a slash in the names of these alone.
	 */
	static boolean canChange(Instrumentation instrumentation, Class<?> type) {
		return !isHidden(type) && type.getClassLoader() != Weaving.class.getClassLoader() && instrumentation.isModifiableClass(type);
	}

	static boolean isHidden(Class<?> type) {
		return type.getName().indexOf('/') >= 0;
	}

	/** Some at a time, as the JVM stands still for each; one by one if some class makes it fail. */
	final void retransform(Collection<Class<?>> classes) {
		List<Class<?>> all = new ArrayList<Class<?>>();
		for (Class<?> type : classes) {
			if (!isOn || hasRoom(type.getClassLoader(), type.getName(), 0)) {
				all.add(type);
			}
		}

		for (int at = 0; at < all.size() && !(isOn && channel.isDeserted()); at += MOST_AT_ONCE) {
			List<Class<?>> some = all.subList(at, Math.min(all.size(), at + MOST_AT_ONCE));
			try {
				instrumentation.retransformClasses(some.toArray(new Class<?>[0]));
			} catch (Throwable oneFails) {
				for (Class<?> type : some) {
					try {
						instrumentation.retransformClasses(type);
					} catch (Throwable error) {
						// What HotSpot says of a class that is in the error state.
						boolean hasFailed = error instanceof InternalError && String.valueOf(error.getMessage()).endsWith("invalid class");
						refuse(type.getName(), hasFailed ? "its static initialiser has failed: the JVM does not let it be changed" : error.toString());
						woven.remove(type.getClassLoader(), type.getName());
					}
				}
			}
		}
	}
}
