import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Everything at once that moves code, stacks and objects: exceptions (thrown, and raised by signals: null, division), classes loaded and unloaded, code deoptimised by them,
 * garbage, threads that start and end, deep recursion, contended locks, sleeps. Every round of work checks its own result. On a line on standard input it prints "rounds N failures M", then
 * "checked". The argument is the number of threads for each kind of work (default 1).
 */
public class Stress {
	static final AtomicLong ROUNDS = new AtomicLong();
	static final AtomicLong FAILURES = new AtomicLong();
	static final Object LOCK = new Object();
	static long lockedTwice;
	static final Object[] FEW = {1, 2, 3};
	static volatile Object sink;

	/** Loaded again and again under new loaders; each new subclass undoes what compiled code assumed of the others. */
	public abstract static class Shape {
		public abstract int area(int side);
	}

	public static class Square extends Shape {
		@Override
		public int area(int side) {
			return side * side;
		}
	}

	interface Work {
		boolean round(Random random) throws Exception;
	}

	static int deep(int depth, int bottom) {
		if (depth == 0) {
			if (bottom == 0) {
				throw new IllegalStateException("bottom");
			}

			return bottom;
		}

		return deep(depth - 1, bottom) + 1;
	}

	static boolean throwing(Random random) {
		int caught = 0;
		int expected = 0;
		for (int i = 0; i < 40; i++) {
			expected++;
			try {
				switch (random.nextInt(5)) {
					case 0: deep(random.nextInt(60), 0); break;
					case 1: sink = nothing(i).length(); break;
					case 2: sink = i / zero(i); break;
					case 3: sink = FEW[i + 3]; break;
					default: sink = (String) number(i); break;
				}
			} catch (IllegalStateException | NullPointerException | ArithmeticException | ArrayIndexOutOfBoundsException | ClassCastException error) {
				caught++;
			}
		}

		return caught == expected && deep(300, 7) == 307;
	}

	static Object number(int i) {
		return i < 0 ? "" : FEW[1];
	}

	static String nothing(int i) {
		return i < 0 ? "" : null;
	}

	static int zero(int i) {
		return i < 0 ? 1 : 0;
	}

	static class Fresh extends ClassLoader {
		final byte[] code;

		Fresh(byte[] code) {
			super(Stress.class.getClassLoader());
			this.code = code;
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			return name.equals("Stress$Square") ? defined(name) : super.loadClass(name, resolve);
		}

		Class<?> defined(String name) {
			Class<?> known = findLoadedClass(name);
			return known == null ? defineClass(name, code, 0, code.length) : known;
		}
	}

	static byte[] squareCode;

	static byte[] codeOf(String name) throws Exception {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		try (InputStream in = Stress.class.getResourceAsStream(name + ".class")) {
			byte[] buffer = new byte[4096];
			for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
				out.write(buffer, 0, n);
			}
		}

		return out.toByteArray();
	}

	static long areas(Shape[] shapes, int times) {
		long sum = 0;
		for (int i = 0; i < times; i++) {
			sum += shapes[i % shapes.length].area(i & 7);
		}

		return sum;
	}

	static boolean loading(Random random) throws Exception {
		Shape[] shapes = new Shape[1 + random.nextInt(3)];
		for (int i = 0; i < shapes.length; i++) {
			shapes[i] = (Shape) new Fresh(squareCode).loadClass("Stress$Square").getConstructor().newInstance();
		}

		// Eight squares, 0 to 49, sum up to 140.
		return areas(shapes, 80_000) == 140L * 10_000;
	}

	static boolean collecting(Random random) {
		List<byte[]> kept = new ArrayList<byte[]>();
		int sum = 0;
		for (int i = 0; i < 2000; i++) {
			byte[] bytes = new byte[random.nextInt(2000) + 1];
			bytes[bytes.length - 1] = (byte) (i & 63);
			sum += i & 63;
			kept.add(bytes);
		}

		for (byte[] bytes : kept) {
			sum -= bytes[bytes.length - 1];
		}

		if (random.nextInt(300) == 0) {
			System.gc();
		}

		return sum == 0;
	}

	static int fibonacci(int n) {
		return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
	}

	static boolean starting(Random random) throws Exception {
		final int[] results = new int[4];
		Thread[] threads = new Thread[results.length];
		for (int i = 0; i < threads.length; i++) {
			final int index = i;
			threads[i] = new Thread(() -> results[index] = fibonacci(16 + index), "short-lived-" + i);
			threads[i].start();
		}

		for (Thread thread : threads) {
			thread.join();
		}

		return results[0] == 987 && results[1] == 1597 && results[2] == 2584 && results[3] == 4181;
	}

	static boolean counting(Random random) {
		int sum = 0;
		for (int i = 0; i < 1_000_000; i++) {
			sum += i ^ (sum >>> 3);
		}

		return sum == counted && fibonacci(18) == 2584;
	}

	static int counted;

	static int countedOnce() {
		int sum = 0;
		for (int i = 0; i < 1_000_000; i++) {
			sum += i ^ (sum >>> 3);
		}

		return sum;
	}

	static boolean locking(Random random) throws Exception {
		for (int i = 0; i < 50; i++) {
			synchronized (LOCK) {
				long before = lockedTwice;
				lockedTwice = before + 1;
				sink = new Object[8];
				lockedTwice++;
				if (lockedTwice != before + 2) {
					return false;
				}
			}
		}

		Thread.sleep(1);
		return true;
	}

	static void start(String name, int threads, Work work) {
		for (int i = 0; i < threads; i++) {
			int seed = i;
			Thread thread = new Thread(() -> {
				Random random = new Random(seed);
				for (;;) {
					try {
						if (!work.round(random)) {
							FAILURES.incrementAndGet();
						}
					} catch (Throwable error) {
						FAILURES.incrementAndGet();
						error.printStackTrace();
					}

					ROUNDS.incrementAndGet();
				}
			}, name + "-" + i);
			thread.setDaemon(true);
			thread.start();
		}
	}

	public static void main(String[] args) throws Exception {
		int threads = args.length > 0 ? Integer.parseInt(args[0]) : 1;
		squareCode = codeOf("Stress$Square");
		counted = countedOnce();
		start("thrower", threads, Stress::throwing);
		start("loader", threads, Stress::loading);
		start("collector", threads, Stress::collecting);
		start("starter", threads, Stress::starting);
		start("counter", threads, Stress::counting);
		start("locker", 2 * threads, Stress::locking);
		Thread.sleep(500);
		System.out.println("ready");
		while (System.in.read() == '\n') {
			System.out.println("rounds " + ROUNDS.get() + " failures " + FAILURES.get());
			System.out.println("checked");
		}
	}
}
