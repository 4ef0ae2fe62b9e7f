/** Calls a method that calls two others, again and again, and prints the nanoseconds of each round's mean call. */
public class TraceCost {
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

	public static void main(String[] args) {
		for (int warm = 0; warm < 200; warm++) {
			sink += round(20_000);
		}

		System.out.println("ready");
		while (true) {
			int calls = 500_000;
			long start = System.nanoTime();
			sink += round(calls);
			long took = System.nanoTime() - start;
			long clock = System.nanoTime();
			for (int i = 0; i < 1000; i++) {
				sink += System.nanoTime();
			}

			System.out.println("call " + (double) took / calls + " clock " + (System.nanoTime() - clock) / 1000.0);
		}
	}
}
