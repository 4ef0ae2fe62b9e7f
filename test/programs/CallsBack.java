import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Has virtual threads, as many as its argument says, sort again and again in native code, which calls back to compare.
 * That sleeps for a moment, in which the thread keeps its carrier. Prints "ready". It needs JDK 22 or later.
 */
public class CallsBack {
	static MethodHandle sorts;
	static MemorySegment compares;

	public static void main(String[] args) throws Throwable {
		Linker linker = Linker.nativeLinker();
		sorts = linker.downcallHandle(
			linker.defaultLookup().find("qsort").get(),
			FunctionDescriptor.ofVoid(
				ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
		compares = linker.upcallStub(
			MethodHandles.lookup().findStatic(
				CallsBack.class,
				"compare",
				MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class)),
			FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
			Arena.global());
		for (int count = Integer.parseInt(args[0]); count > 0; count--) {
			Thread.ofVirtual().name("sorter-" + count).start(CallsBack::sortsForever);
		}

		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void sortsForever() {
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment numbers = arena.allocate(400);
			for (;;) {
				sorts.invoke(numbers, 100L, 4L, compares);
			}
		} catch (Throwable ended) {
			throw new IllegalStateException(ended);
		}
	}

	static int compare(MemorySegment one, MemorySegment other) {
		try {
			pause();
		} catch (InterruptedException ended) {
			return 0;
		}

		return Long.compare(one.address(), other.address());
	}

	static void pause() throws InterruptedException {
		Thread.sleep(20);
	}
}
