import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
Threads that run all the time through calls that a reader of this file can check: each method of this class is called from lines that name it. Recursion, exceptions, inlined and interpreted methods,
interfaces with many implementations, loops with safepoint polls, leaf calls into the runtime, allocation. Argument: number of threads (default 2). Prints "ready" when all are warm.
*/
public class KnownCalls {
	static volatile long sink;
	/** Number of threads that have run for a while. */
	static final AtomicInteger warm = new AtomicInteger();

	interface Shape {
		double area(int scale);
	}

	static class Square implements Shape {
		@Override
		public double area(int scale) {
			return side(scale) * side(scale);
		}
	}

	static class Circle implements Shape {
		@Override
		public double area(int scale) {
			return Math.PI * Math.pow(side(scale), 2);
		}
	}

	static class Line implements Shape {
		@Override
		public double area(int scale) {
			return side(scale) - side(scale);
		}
	}

	static double side(int scale) {
		return tiny(scale) + tiny(scale + 1);
	}

	static int tiny(int value) {
		return value * 31 + 7;
	}

	public static void main(String[] args) throws Exception {
		int threads = args.length > 0 ? Integer.parseInt(args[0]) : 2;
		for (int i = 0; i < threads; i++) {
			final int first = i;
			new Thread(new Runnable() {
				@Override
				public void run() {
					spin(first);
				}
			}, "running-" + i).start();
		}

		while (warm.get() < threads) {
			Thread.sleep(20);
		}

		System.out.println("ready");
	}

	static void spin(int first) {
		for (int round = first;; round++) {
			step(round);
			if (round == 1501) {
				warm.incrementAndGet();
			}
		}
	}

	static void step(int round) {
		switch (round % 10) {
			case 0:
				sink += recurse(300, round);
				break;
			case 1:
				sink += throwing(round);
				break;
			case 2:
				sink += shapes(round);
				break;
			case 3:
				sink += counted(round);
				break;
			case 4:
				sink += leaves(round);
				break;
			case 5:
				sink += allocating(round);
				break;
			case 6:
				sink += mapping(round);
				break;
			case 7:
				sink += sorting(round);
				break;
			case 8:
				sink += locked(round);
				break;
			default:
				sink += text(round);
				break;
		}
	}

	static long recurse(int depth, int round) {
		if (depth == 0) {
			return counted(round % 100);
		}

		return recurse(depth - 1, round) + 1;
	}

	static long throwing(int round) {
		long caught = 0;
		for (int i = 0; i < 200; i++) {
			try {
				caught += maybeThrow(i + round);
			} catch (IllegalStateException expected) {
				caught += expected.getMessage().length();
			}
		}

		return caught;
	}

	static int maybeThrow(int value) {
		if (value % 20 == 0) {
			throw new IllegalStateException("expected");
		}

		return tiny(value);
	}

	static long shapes(int round) {
		Shape[] shapes = {new Square(), new Circle(), new Line()};
		double sum = 0;
		for (int i = 0; i < 3000; i++) {
			sum += shapes[i % 3].area(i + round);
		}

		return (long) sum;
	}

	static long counted(int round) {
		long sum = round;
		for (int i = 0; i < 20_000; i++) {
			sum += tiny(i) ^ sum;
		}

		return sum;
	}

	static long leaves(int round) {
		long sum = round;
		byte[] from = new byte[4096];
		byte[] to = new byte[4096];
		for (int i = 0; i < 300; i++) {
			sum += System.nanoTime();
			System.arraycopy(from, i, to, 0, 2048);
			sum += System.currentTimeMillis();
			sum += (long) Math.sin(sum);
		}

		return sum + to[17];
	}

	static long allocating(int round) {
		List<Object> kept = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			kept.add(new long[i % 50]);
		}

		return kept.size() + round;
	}

	static long mapping(int round) {
		Map<Integer, String> map = new HashMap<>();
		for (int i = 0; i < 500; i++) {
			map.put(i * round, "value");
		}

		return map.size();
	}

	static long sorting(int round) {
		List<Integer> numbers = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			numbers.add(tiny(i * round) % 1000);
		}

		Collections.sort(numbers, new java.util.Comparator<Integer>() {
			@Override
			public int compare(Integer a, Integer b) {
				return order(a, b);
			}
		});
		return numbers.get(0);
	}

	static int order(int a, int b) {
		return Integer.compare(tiny(a), tiny(b));
	}

	static synchronized long locked(int round) {
		return counted(round);
	}

	static long text(int round) {
		StringBuilder builder = new StringBuilder();
		for (int i = 0; i < 200; i++) {
			builder.append(i + round).append(',');
		}

		return builder.toString().hashCode();
	}
}
