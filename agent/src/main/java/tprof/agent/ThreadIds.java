package tprof.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import sun.misc.Unsafe;

/**
 * A number of each thread, to find its record by. An identity hash code would do, but that of a thread that another one
 * waits for to end takes several times as long to read.
 */
final class ThreadIds {
	/** threadId(), which is final. What came before JDK 19, getId(), is not, and a program's own may do anything: its field is read. */
	private static final MethodHandle ID = threadId();
	/** Null where it is not needed, and in a runtime without jdk.unsupported. */
	private static final Unsafe UNSAFE = ID == null ? unsafe() : null;
	private static final long FIELD = UNSAFE == null ? 0 : field();

	private ThreadIds() {
	}

	static int of(Thread thread) {
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

	private static Unsafe unsafe() {
		try {
			Field instance = Unsafe.class.getDeclaredField("theUnsafe");
			instance.setAccessible(true);
			return (Unsafe) instance.get(null);
		} catch (Throwable notThere) {
			return null;
		}
	}

	private static long field() {
		try {
			return UNSAFE.objectFieldOffset(Thread.class.getDeclaredField("tid"));
		} catch (Throwable notThere) {
			return 0;
		}
	}
}
