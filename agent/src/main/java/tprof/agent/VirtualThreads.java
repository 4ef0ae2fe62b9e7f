package tprof.agent;

/** Which threads are virtual: there are none before JDK 21. */
final class VirtualThreads {
	private static final Class<?> BASE = base();

	private VirtualThreads() {
	}

	static boolean has(Thread thread) {
		return BASE != null && BASE.isInstance(thread);
	}

	private static Class<?> base() {
		try {
			return Class.forName("java.lang.BaseVirtualThread", false, null);
		} catch (ClassNotFoundException olderThan21) {
			return null;
		}
	}
}
