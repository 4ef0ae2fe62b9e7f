import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
To be compiled with -g:none: each thread works in a method without line numbers, which Thread.run, that has them, calls.
One thread calls another method through a method handle that the JIT cannot know, so through lambda forms.
*/
public class WithoutLines {
	static long sum;
	static MethodHandle handle;

	static int next(int n) {
		return n + 1;
	}

	static void computes() {
		for (int n = 0; ; n = next(n)) {
			sum += n ^ (sum << 3);
		}
	}

	static void callsHandle() throws Throwable {
		for (int n = 0; ; ) {
			n = (int) handle.invokeExact(n);
		}
	}

	static final class Caller extends Thread {
		Caller() {
			super("caller");
		}

		@Override
		public void run() {
			try {
				callsHandle();
			} catch (Throwable unexpected) {
				throw new IllegalStateException(unexpected);
			}
		}
	}

	public static void main(String[] args) throws Exception {
		MethodHandles.Lookup lookup = MethodHandles.lookup();
		MethodHandle next = lookup.findStatic(WithoutLines.class, "next", MethodType.methodType(int.class, int.class));
		// Each wrapper is a lambda form of its own.
		MethodHandle twice = MethodHandles.filterReturnValue(next, next);
		handle = MethodHandles.filterArguments(MethodHandles.filterReturnValue(twice, twice), 0, twice);
		new Thread(WithoutLines::computes, "computer").start();
		Thread caller = new Caller();
		caller.start();
		System.out.println("ready");
	}
}
