package tprof.agent;

import java.lang.invoke.*;
import java.lang.reflect.Field;
import sun.misc.Unsafe;

/** What hooks ask of threads without calling a method that a program may override. */
final class Threads {
	/** So many calls of a method handle, and more, have it linked and customized. */
	private static final int WARM_CALLS = 1000;
	/** threadId(), which is final. What came before JDK 19, getId(), is not, and a program's own may do anything: its field is read. */
	private static final MethodHandle ID = threadId();
	/** Null where it is not needed, and in a runtime without jdk.unsupported. */
	private static final Unsafe UNSAFE;
	private static final long FIELD;
	/** Null before JDK 21, which has no virtual threads. */
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
				// Identity hash codes have to do.
			}
		}

		UNSAFE = unsafe;
		FIELD = field;
		// Here and now, on our own thread, and not within a hook.
		for (int index = 0; index < WARM_CALLS; index++) {
			id(Thread.currentThread());
		}
	}

	static boolean isVirtual(Thread thread) {
		return VIRTUAL != null && VIRTUAL.isInstance(thread);
	}

	/**
	 * A number to find the thread's record by. An identity hash code would do, but that of a thread that another one waits for
	 * to end takes several times as long to read.
	 */
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
