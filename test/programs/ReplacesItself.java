import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * BUSY threads (first argument) work without end. On a line on standard input one more of them, "caller", calls execv(3): the process becomes /bin/sleep for ten minutes. Needs JDK 22 or later.
 */
public class ReplacesItself {
	static volatile boolean isAsked;
	static volatile long sink;

	static void work(long x) {
		for (int i = 0; i < 2000; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
		}

		sink = x;
	}

	static void call() {
		try (Arena arena = Arena.ofConfined()) {
			Linker linker = Linker.nativeLinker();
			MethodHandle execv = linker.downcallHandle(linker.defaultLookup().find("execv").get(), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
			MemorySegment arguments = arena.allocate(ValueLayout.ADDRESS, 3);
			arguments.setAtIndex(ValueLayout.ADDRESS, 0, arena.allocateFrom("sleep"));
			arguments.setAtIndex(ValueLayout.ADDRESS, 1, arena.allocateFrom("600"));
			MemorySegment path = arena.allocateFrom("/bin/sleep");
			System.out.println("ready");
			while (!isAsked) {
				work(sink);
			}

			int result = (int) execv.invokeExact(path, arguments);
			System.out.println("execv gave " + result);
		} catch (Throwable error) {
			error.printStackTrace();
		}
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < Integer.parseInt(args[0]); i++) {
			Thread busy = new Thread(() -> {
				for (;;) {
					work(sink);
				}
			}, "busy-" + i);
			busy.setDaemon(true);
			busy.start();
		}

		new Thread(ReplacesItself::call, "caller").start();
		System.in.read();
		isAsked = true;
	}
}
