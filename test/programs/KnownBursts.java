import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A pool of four threads whose tasks work for 50 to 500 us, in one of four methods, between parks: each task wakes the one who hands out the next. How many rounds each method has done is known exactly; a
 * round costs the same in all. On a line on standard input it prints "share METHOD ROUNDS" for what was done since the line before, "used NANOSECONDS" for the CPU time of the process, then "done".
 */
public class KnownBursts {
	static final int THREADS = 4;
	static final String[] METHODS = {"fifty", "hundred", "threeHundred", "fiveHundred"};
	static final int[] MICROS = {50, 100, 300, 500};
	/** Tasks of each kind in ten. */
	static final int[] KINDS = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
	static final long[][] ROUNDS = new long[THREADS][METHODS.length];
	/** Tasks handed out at the same time, and how long is waited then: some 60 % of one CPU. */
	static final int AT_ONCE = 3;
	static final long EVERY_NS = 900_000;
	static volatile long sink;
	static int roundsPerMicro = 1000;

	static long fifty(int rounds) {
		long x = 1;
		for (int i = 0; i < rounds; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
		}

		return x;
	}

	static long hundred(int rounds) {
		long x = 1;
		for (int i = 0; i < rounds; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
		}

		return x;
	}

	static long threeHundred(int rounds) {
		long x = 1;
		for (int i = 0; i < rounds; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
		}

		return x;
	}

	static long fiveHundred(int rounds) {
		long x = 1;
		for (int i = 0; i < rounds; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
		}

		return x;
	}

	static long step(int kind, int rounds) {
		switch (kind) {
			case 0: return fifty(rounds);
			case 1: return hundred(rounds);
			case 2: return threeHundred(rounds);
			default: return fiveHundred(rounds);
		}
	}

	static void work(int thread, BlockingQueue<Integer> tasks, BlockingQueue<Integer> finished) {
		try {
			for (;;) {
				int kind = tasks.take();
				int rounds = MICROS[kind] * roundsPerMicro;
				sink += step(kind, rounds);
				ROUNDS[thread][kind] += rounds;
				finished.put(kind);
			}
		} catch (InterruptedException ended) {
			Thread.currentThread().interrupt();
		}
	}

	static void handOut(BlockingQueue<Integer> tasks, BlockingQueue<Integer> finished) {
		try {
			long next = System.nanoTime();
			for (int task = 0;;) {
				for (int i = 0; i < AT_ONCE; i++) {
					tasks.put(KINDS[task++ % KINDS.length]);
				}

				for (int i = 0; i < AT_ONCE; i++) {
					finished.take();
				}

				next = Math.max(next + EVERY_NS, System.nanoTime());
				long waitNs = next - System.nanoTime();
				if (waitNs > 0) {
					Thread.sleep(waitNs / 1_000_000, (int) (waitNs % 1_000_000));
				}
			}
		} catch (InterruptedException ended) {
			Thread.currentThread().interrupt();
		}
	}

	/** Rounds in a microsecond of this thread's CPU time, once the methods are compiled. */
	static int calibrated() {
		ThreadMXBean clock = ManagementFactory.getThreadMXBean();
		for (int i = 0; i < 4_000; i++) {
			sink += step(i % 4, 20_000);
		}

		long start = clock.getCurrentThreadCpuTime();
		for (int i = 0; i < 400; i++) {
			sink += step(i % 4, 500_000);
		}

		return (int) (400L * 500_000 * 1000 / (clock.getCurrentThreadCpuTime() - start));
	}

	static void start(String name, Runnable body) {
		Thread thread = new Thread(body, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		roundsPerMicro = calibrated();
		BlockingQueue<Integer> tasks = new LinkedBlockingQueue<>();
		BlockingQueue<Integer> finished = new LinkedBlockingQueue<>();
		for (int thread = 0; thread < THREADS; thread++) {
			int index = thread;
			start("pool-" + index, () -> work(index, tasks, finished));
		}

		start("handing-out", () -> handOut(tasks, finished));
		Thread.sleep(1500);
		System.out.println("ready");
		com.sun.management.OperatingSystemMXBean system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		long[] before = new long[METHODS.length];
		long usedBefore = system.getProcessCpuTime();
		while (System.in.read() == '\n') {
			for (int kind = 0; kind < METHODS.length; kind++) {
				long sum = 0;
				for (int thread = 0; thread < THREADS; thread++) {
					sum += ROUNDS[thread][kind];
				}

				System.out.println("share " + METHODS[kind] + " " + (sum - before[kind]));
				before[kind] = sum;
			}

			long used = system.getProcessCpuTime();
			System.out.println("used " + (used - usedBefore));
			usedBefore = used;
			System.out.println("perMicro " + roundsPerMicro);
			System.out.println("done");
		}
	}
}
