import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
Calls that it counts itself: several threads, recursion, exceptions through five levels, constructors that throw, threads that end by an exception in the middle, an interface's implementations. Reads lines
from its standard input: a number runs so many rounds in each of eight threads (and prints what each method was called, as "name calls exceptions"), then "done"; "load", "inherit" and "await" each use a class that was not loaded before,
"virtual N" has N virtual threads make visits, "text" prints the text of what level() throws, "spells N T" prints the time of N calls in each of T threads, around and within, "end" ends it. A thread "noise" calls busy() some hundred times each millisecond or two.
*/
public class KnownTraces {
	static final int THREADS = 8;
	static final AtomicLong recursions = new AtomicLong();
	static final AtomicLong rounds = new AtomicLong();
	static final AtomicLong thrown = new AtomicLong();
	static final AtomicLong made = new AtomicLong();
	static final AtomicLong failedMade = new AtomicLong();
	static final AtomicLong shapes = new AtomicLong();
	static volatile long sink;

	@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME)
	@interface Watched {
	}

	interface Shape {
		long area(int size);
	}

	static class Square implements Shape {
		@Override
		public long area(int size) {
			return (long) size * size;
		}
	}

	static class Line implements Shape {
		@Override
		public long area(int size) {
			return size;
		}
	}

	static class Made {
		final int size;

		Made(int size) {
			this(size, check(size));
		}

		Made(int size, int checked) {
			super();
			this.size = checked + size;
			if (size % 5 == 1) {
				throw new IllegalArgumentException("after super");
			}
		}

		static int check(int size) {
			if (size % 5 == 0) {
				throw new IllegalArgumentException("before super");
			}

			return size;
		}
	}

	static class Late implements Shape {
		@Override
		public long area(int size) {
			return size + 1L;
		}
	}

	/** Loaded with the class that inherits from it, and after that has been read. */
	static class Inherited implements Shape {
		@Override
		public long area(int size) {
			return size + 2L;
		}
	}

	static class Inheriting extends Inherited {
		@Override
		public long area(int size) {
			return size + 3L;
		}
	}

	static class Awaited {
		static long wait(int size) {
			return size + 4L;
		}
	}

	static void round(int number) {
		rounds.incrementAndGet();
		sink += recurse(number % 7);
		try {
			level(5, number);
		} catch (IllegalStateException expected) {
			sink++;
		}

		try {
			made.incrementAndGet();
			sink += new Made(number).size;
		} catch (IllegalArgumentException expected) {
			failedMade.incrementAndGet();
		}

		Shape shape = number % 2 == 0 ? new Square() : new Line();
		shapes.incrementAndGet();
		sink += shape.area(number);
	}

	static long recurse(int depth) {
		recursions.incrementAndGet();
		return depth == 0 ? 0 : recurse(depth - 1) + 1;
	}

	static void level(int depth, int number) {
		if (depth == 0) {
			if (number % 3 == 0) {
				thrown.incrementAndGet();
				throw new IllegalStateException("through five levels");
			}

			return;
		}

		level(depth - 1, number);
	}

	@Watched
	static void slow() throws InterruptedException {
		Thread.sleep(120);
	}

	/** A virtual thread's: two steps, between which it gives its carrier to others. */
	static void visit() {
		step();
		java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
		step();
	}

	static void step() {
		sink++;
	}

	/** So many virtual threads, all of which have visits at the same time; the JDK must have some. */
	static void virtualThreads(int count) throws Exception {
		java.lang.reflect.Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
		final CountDownLatch done = new CountDownLatch(count);
		for (int i = 0; i < count; i++) {
			start.invoke(null, new Runnable() {
				@Override
				public void run() {
					visit();
					done.countDown();
				}
			});
		}

		done.await();
	}

	/** Takes 150 microseconds or more: how long, by its own clock from its first instruction to its last. */
	static long spell() {
		long start = System.nanoTime();
		long now = start;
		while (now - start < 150_000) {
			sink++;
			now = System.nanoTime();
		}

		return now - start;
	}

	/** Nanoseconds by our own clock of so many spells in each of so many threads: around them, and within. */
	static String spells(final int count, int threads) throws InterruptedException {
		final AtomicLong around = new AtomicLong();
		final AtomicLong within = new AtomicLong();
		final CountDownLatch done = new CountDownLatch(threads);
		for (int i = 0; i < threads; i++) {
			new Thread("speller-" + i) {
				@Override
				public void run() {
					for (int spell = 0; spell < count; spell++) {
						long start = System.nanoTime();
						long inside = spell();
						around.addAndGet(System.nanoTime() - start);
						within.addAndGet(inside);
					}

					done.countDown();
				}
			}.start();
		}

		done.await();
		return around + " " + within;
	}

	static void dies() {
		throw new IllegalStateException("the thread ends here");
	}

	static long busy(long from) {
		long sum = from;
		for (int i = 0; i < 1000; i++) {
			sum += i ^ sum;
		}

		return sum;
	}

	static void run(final int count) throws InterruptedException {
		Thread[] threads = new Thread[THREADS];
		for (int i = 0; i < THREADS; i++) {
			Thread thread = threads[i] = new Thread("worker-" + i) {
				@Override
				public void run() {
					for (int round = 0; round < count; round++) {
						round(round);
					}

					dies();
				}
			};
			thread.setUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
				@Override
				public void uncaughtException(Thread dead, Throwable error) {
					sink++;
				}
			});
			thread.start();
			if (i % 2 == 0) {
				thread.join();
			}
		}

		for (Thread thread : threads) {
			thread.join();
		}
	}

	public static void main(String[] args) throws Exception {
		Thread noise = new Thread("noise") {
			@Override
			public void run() {
				while (true) {
					for (int call = 0; call < 300; call++) {
						sink += busy(sink);
					}

					java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
				}
			}
		};
		noise.setDaemon(true);
		if (args.length == 0) {
			noise.start();
		}

		System.out.println(new Square().area(2) + new Line().area(1) + busy(1));
		run(10);
		slow();
		System.out.println("ready");
		java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
		for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
			if (line.equals("load")) {
				sink += new Late().area(1);
			} else if (line.equals("inherit")) {
				sink += new Inheriting().area(1);
			} else if (line.equals("await")) {
				sink += Awaited.wait(1);
			} else if (line.equals("slow")) {
				slow();
			} else if (line.startsWith("virtual ")) {
				virtualThreads(Integer.parseInt(line.substring(8)));
			} else if (line.equals("text")) {
				try {
					level(0, 0);
				} catch (IllegalStateException expected) {
					System.out.println("thrown " + expected.getMessage());
				}
			} else if (line.startsWith("spells ")) {
				System.out.println("spelled " + spells(Integer.parseInt(line.split(" ")[1]), Integer.parseInt(line.split(" ")[2])));
			} else {
				for (AtomicLong counter : new AtomicLong[] {recursions, rounds, thrown, made, failedMade, shapes}) {
					counter.set(0);
				}

				run(Integer.parseInt(line));
				System.out.println("counts " + rounds + " " + recursions + " " + thrown + " " + made + " " + failedMade + " " + shapes);
			}

			System.out.println("done " + line);
		}
	}
}
