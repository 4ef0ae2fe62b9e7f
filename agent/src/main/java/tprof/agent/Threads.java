package tprof.agent;

import java.lang.invoke.*;
import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** Properties of threads, read without calling methods that a program may override. */
final class Threads {
	/** Number of calls after which a method handle is linked and customized. */
	private static final int WARM_CALLS = 1000;
	/** threadId(), which is final; null before JDK 19, where getId() may be overridden, so that its field is read. */
	private static final MethodHandle ID = threadId();
	/** Null if not needed, and in a runtime without jdk.unsupported. */
	private static final Unsafe UNSAFE;
	private static final long FIELD;
	/** Null before JDK 21. */
	private static final Class<?> VIRTUAL = virtual();

	static {
		Unsafe unsafe = null;
		long field = 0;
		if (ID == null) {
			try {
				Field instance = Unsafe.class.getDeclaredField("theUnsafe");
				instance.setAccessible(true);
				unsafe = (Unsafe) instance.get(null);
				field = unsafe.objectFieldOffset(Thread.class.getDeclaredField("tid"));
			} catch (Throwable notThere) {
				// Then `id` uses identity hash codes.
			}
		}

		UNSAFE = unsafe;
		FIELD = field;
		// Now, on our own thread, rather than in a hook.
		for (int index = 0; index < WARM_CALLS; index++) {
			id(Thread.currentThread());
		}
	}

	static boolean isVirtual(Thread thread) {
		return VIRTUAL != null && VIRTUAL.isInstance(thread);
	}

	/** Returns a hash. The identity hash code is slow to read while another thread waits for the thread's end. */
	static int id(Thread thread) {
		if (FIELD != 0) {
			return (int) UNSAFE.getLong(thread, FIELD);
		}

		if (ID != null) {
			try {
				return (int) (long) ID.invokeExact(thread);
			} catch (Throwable never) {
				return 0;
			}
		}

		return System.identityHashCode(thread);
	}

	private static MethodHandle threadId() {
		try {
			return MethodHandles.lookup().findVirtual(Thread.class, "threadId", MethodType.methodType(long.class));
		} catch (ReflectiveOperationException olderThan19) {
			return null;
		}
	}

	private static Class<?> virtual() {
		try {
			return Class.forName("java.lang.BaseVirtualThread", false, null);
		} catch (ClassNotFoundException olderThan21) {
			return null;
		}
	}
}
