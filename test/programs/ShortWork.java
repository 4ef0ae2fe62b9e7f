import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Work in short pieces, in the method "work". Argument: "virtual", a virtual thread each 2 ms (21 and later) that works for about 150 us, or so many as a second argument says, and ends; "threads", the same with platform threads (two at
 * a time, 500 us); or "selector", a thread that works for about 1 ms and wakes a selector, over and over, beside one that does nothing but select; or "sleep", two threads that work for about 500 us and sleep for a millisecond. On a line on standard input it prints "share work NANOSECONDS" for the CPU time that was spent there since the line before, with "sleep"
 * "share sleep NANOSECONDS" for that of the sleeps by the thread's own CPU time, then "done". It goes by the wall clock, as asking for a thread's CPU time would cost more than all else; a piece that took twice the usual time lost its CPU meanwhile, and counts as a usual one.
 */
public class ShortWork {
	static final long EVERY_NS = 2_000_000;
	static final int REMEMBERED = 1 << 16;
	static final long[] TOOK = new long[REMEMBERED];
	static final AtomicInteger PIECES = new AtomicInteger();
	static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
	static final AtomicLong ASLEEP_NS = new AtomicLong();
	static volatile long sink;

	static long work(int rounds) {
		long x = 1;
		for (int i = 0; i < rounds; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
		}

		return x;
	}

	static void piece(int rounds) {
		long start = System.nanoTime();
		sink += work(rounds);
		long took = System.nanoTime() - start;
		TOOK[PIECES.getAndIncrement() % REMEMBERED] = took;
	}

	/** CPU time of the pieces since then. */
	static long spentSince(int piece) {
		int count = PIECES.get() - piece;
		if (count == 0) {
			return 0;
		}

		long[] took = new long[count];
		for (int i = 0; i < count; i++) {
			took[i] = TOOK[(piece + i) % REMEMBERED];
		}

		Arrays.sort(took);
		long usual = took[count / 2];
		return Arrays.stream(took).map(ns -> ns > 2 * usual ? usual : ns).sum();
	}

	/** Rounds that take so long once the method is compiled. */
	static int calibrated(long ns) {
		int rounds = 100_000;
		for (int i = 0; i < 2_000; i++) {
			piece(rounds);
		}

		return (int) (rounds * ns * 1_000 / spentSince(1_000));
	}

	static void startVirtualThreads(int workUs) {
		int rounds = calibrated(workUs * 1_000L);
		start("starting", () -> {
			// By reflection, so that it compiles on 8.
			Method startVirtualThread = Thread.class.getMethod("startVirtualThread", Runnable.class);
			Runnable task = () -> piece(rounds);
			for (long next = System.nanoTime();;) {
				startVirtualThread.invoke(null, task);
				next = Math.max(next + EVERY_NS, System.nanoTime());
				while (System.nanoTime() < next) {
					LockSupport.parkNanos(next - System.nanoTime());
				}
			}
		});
	}

	static void startThreads() {
		int rounds = calibrated(500_000);
		for (int i = 0; i < 2; i++) {
			start("starting-" + i, () -> {
				for (;;) {
					Thread thread = new Thread(() -> piece(rounds));
					thread.start();
					thread.join();
					LockSupport.parkNanos(1_000_000);
				}
			});
		}
	}

	static void startSelector() throws Exception {
		int rounds = calibrated(1_000_000);
		Selector selector = Selector.open();
		start("selecting", () -> {
			for (;;) {
				selector.select();
			}
		});
		start("working", () -> {
			for (;;) {
				piece(rounds);
				selector.wakeup();
			}
		});
	}

	static void startSleepers() {
		int rounds = calibrated(500_000);
		for (int i = 0; i < 2; i++) {
			start("sleeping-" + i, () -> {
				for (;;) {
					piece(rounds);
					long start = CLOCK.getCurrentThreadCpuTime();
					Thread.sleep(1);
					ASLEEP_NS.addAndGet(CLOCK.getCurrentThreadCpuTime() - start);
				}
			});
		}
	}

	interface Body {
		void run() throws Exception;
	}

	static void start(String name, Body body) {
		Thread thread = new Thread(() -> {
			try {
				body.run();
			} catch (Exception failed) {
				failed.printStackTrace();
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		if (args[0].equals("virtual")) {
			startVirtualThreads(args.length > 1 ? Integer.parseInt(args[1]) : 150);
		} else if (args[0].equals("threads")) {
			startThreads();
		} else if (args[0].equals("sleep")) {
			startSleepers();
		} else {
			startSelector();
		}

		// Long enough for the rest to be compiled as well.
		Thread.sleep(1500);
		System.out.println("ready");
		int before = PIECES.get();
		while (System.in.read() == '\n') {
			int now = PIECES.get();
			System.out.println("share work " + spentSince(before));
			if (args[0].equals("sleep")) {
				System.out.println("share sleep " + ASLEEP_NS.getAndSet(0));
			}

			before = now;
			System.out.println("done");
		}
	}
}
