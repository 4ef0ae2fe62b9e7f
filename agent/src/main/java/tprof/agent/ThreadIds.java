package tprof.agent;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;

/**
 * A number of each thread, to find its record by. An identity hash code would do, but that of a thread that another one
 * waits for to end takes several times as long to read.
 */
final class ThreadIds {
	private static final MethodHandle ID = find();

	private ThreadIds() {
	}

	static int of(Thread thread) {
		if (ID != null) {
			try {
				return (int) (long) ID.invokeExact(thread);
			} catch (Throwable never) {
				return 0;
			}
		}

		return System.identityHashCode(thread);
	}

	/** threadId() is final. What came before it, getId(), is not, and a program's own may do anything: its field is read. */
	private static MethodHandle find() {
		try {
			return MethodHandles.lookup().findVirtual(Thread.class, "threadId", MethodType.methodType(long.class));
		} catch (ReflectiveOperationException olderThan19) {
			try {
				Field field = Thread.class.getDeclaredField("tid");
				field.setAccessible(true);
				return MethodHandles.lookup().unreflectGetter(field);
			} catch (Throwable closed) {
				return null;
			}
		}
	}
}
