import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Calls a method that calls two others, again and again, and prints the nanoseconds of CPU time of each round's mean call. */
public class TraceCost {
	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
	static volatile long sink;

	static long outer(long value) {
		return first(value) + second(value);
	}

	static long first(long value) {
		return value * 31 + 7;
	}

	static long second(long value) {
		return value ^ (value >>> 3);
	}

	static long round(int calls) {
		long sum = 0;
		for (int i = 0; i < calls; i++) {
			sum += outer(sum + i);
		}

		return sum;
	}

	static long readings(int count) {
		long sum = 0;
		for (int i = 0; i < count; i++) {
			sum += System.nanoTime();
		}

		return sum;
	}

	public static void main(String[] args) {
		for (int warm = 0; warm < 200; warm++) {
			sink += round(20_000);
		}

		System.out.println("ready");
		while (true) {
			int calls = 500_000;
			long start = THREADS.getCurrentThreadCpuTime();
			sink += round(calls);
			long called = THREADS.getCurrentThreadCpuTime();
			sink += readings(calls);
			long read = THREADS.getCurrentThreadCpuTime();
			System.out.println("call " + (double) (called - start) / calls + " clock " + (double) (read - called) / calls);
		}
	}
}
