import java.util.concurrent.atomic.AtomicInteger;

/**
Threads that test types all the time, each against two interfaces in turn, so that the cache of the last interface found never helps and the slow path searches all of them; beside that, they call runtime code that leaves no anchor.
Each method of this class is called from lines that name it. Argument: number of threads (default 2). Prints "ready" when all are warm.
*/
public class TypeTests {
	static volatile long sink;
	/** Number of threads that have run for a while. */
	static final AtomicInteger warm = new AtomicInteger();

	interface I1 {}
	interface I2 {}
	interface I3 {}
	interface I4 {}
	interface I5 {}
	interface I6 {}
	interface I7 {}
	interface First {}
	interface Second {}

	static class Both implements I1, I2, I3, I4, I5, I6, I7, First, Second {}

	static class Neither implements I1, I2, I3, I4, I5, I6, I7 {}

	static final Object[] values = {new Both(), new Neither(), new Both(), new Both(), new Neither(), "text", new Object[0]};

	public static void main(String[] args) throws Exception {
		int threads = args.length > 0 ? Integer.parseInt(args[0]) : 2;
		for (int i = 0; i < threads; i++) {
			new Thread(new Runnable() {
				@Override
				public void run() {
					spin();
				}
			}, "running-" + i).start();
		}

		while (warm.get() < threads) {
			Thread.sleep(20);
		}

		System.out.println("ready");
	}

	static void spin() {
		for (int round = 0;; round++) {
			sink += timed(round);
			sink += tested(round);
			if (round == 3001) {
				warm.incrementAndGet();
			}
		}
	}

	/** Reads the clock between tests. */
	static long timed(int round) {
		long sum = System.currentTimeMillis();
		for (int i = 0; i < 300; i++) {
			sum += asBoth(values[(i + round) % values.length]);
			sum += System.currentTimeMillis();
		}

		return sum;
	}

	static long tested(int round) {
		long sum = round;
		for (int i = 0; i < 1000; i++) {
			Object value = values[(i + round) % values.length];
			sum += asBoth(value) + cast(value) + stored(value, i);
		}

		return sum;
	}

	static int asBoth(Object value) {
		return (value instanceof First ? 1 : 0) + (value instanceof Second ? 2 : 0);
	}

	static int cast(Object value) {
		return value instanceof Both ? hash((First) value) + hash((Second) value) : 0;
	}

	static int hash(Object value) {
		return value == null ? 0 : 1;
	}

	/** Each store into the array tests the element's type. */
	static int stored(Object value, int index) {
		I1[] ones = new I1[2];
		First[] firsts = new First[2];
		if (value instanceof Both) {
			((Object[]) ones)[index & 1] = value;
			((Object[]) firsts)[index & 1] = value;
		}

		return ones.length + firsts.length;
	}
}
