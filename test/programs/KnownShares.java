import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;

/**
 * Four threads that spend known shares of their CPU time in six methods: phases of about 0.4 ms in random order, each timed from inside by the
 * thread's own CPU clock. On a line on standard input it prints "share METHOD NANOSECONDS" for what was spent since the line before, then "done".
 */
public class KnownShares {
	static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
	static final int THREADS = 4;
	static final int[] PERCENT = {40, 25, 15, 10, 7, 3};
	static final String[] METHODS = {"forty", "twentyFive", "fifteen", "ten", "seven", "three"};
	static final long PHASE_NS = 400_000;
	/** Between two looks at the clock: some microseconds. */
	static final int ROUNDS = 5_000;
	static final long[][] SPENT = new long[THREADS][PERCENT.length];
	static volatile long sink;

	static long forty(long x, int thread) {
		long start = CLOCK.getCurrentThreadCpuTime();
		long untilNs = System.nanoTime() + PHASE_NS;
		do {
			for (int i = 0; i < ROUNDS; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		} while (System.nanoTime() < untilNs);
		SPENT[thread][0] += CLOCK.getCurrentThreadCpuTime() - start;
		return x;
	}

	static long twentyFive(long x, int thread) {
		long start = CLOCK.getCurrentThreadCpuTime();
		long untilNs = System.nanoTime() + PHASE_NS;
		do {
			for (int i = 0; i < ROUNDS; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		} while (System.nanoTime() < untilNs);
		SPENT[thread][1] += CLOCK.getCurrentThreadCpuTime() - start;
		return x;
	}

	static long fifteen(long x, int thread) {
		long start = CLOCK.getCurrentThreadCpuTime();
		long untilNs = System.nanoTime() + PHASE_NS;
		do {
			for (int i = 0; i < ROUNDS; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		} while (System.nanoTime() < untilNs);
		SPENT[thread][2] += CLOCK.getCurrentThreadCpuTime() - start;
		return x;
	}

	static long ten(long x, int thread) {
		long start = CLOCK.getCurrentThreadCpuTime();
		long untilNs = System.nanoTime() + PHASE_NS;
		do {
			for (int i = 0; i < ROUNDS; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		} while (System.nanoTime() < untilNs);
		SPENT[thread][3] += CLOCK.getCurrentThreadCpuTime() - start;
		return x;
	}

	static long seven(long x, int thread) {
		long start = CLOCK.getCurrentThreadCpuTime();
		long untilNs = System.nanoTime() + PHASE_NS;
		do {
			for (int i = 0; i < ROUNDS; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		} while (System.nanoTime() < untilNs);
		SPENT[thread][4] += CLOCK.getCurrentThreadCpuTime() - start;
		return x;
	}

	static long three(long x, int thread) {
		long start = CLOCK.getCurrentThreadCpuTime();
		long untilNs = System.nanoTime() + PHASE_NS;
		do {
			for (int i = 0; i < ROUNDS; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		} while (System.nanoTime() < untilNs);
		SPENT[thread][5] += CLOCK.getCurrentThreadCpuTime() - start;
		return x;
	}

	static long step(int which, long x, int thread) {
		switch (which) {
			case 0: return forty(x, thread);
			case 1: return twentyFive(x, thread);
			case 2: return fifteen(x, thread);
			case 3: return ten(x, thread);
			case 4: return seven(x, thread);
			default: return three(x, thread);
		}
	}

	static void work(int thread) {
		Random random = new Random(thread);
		long x = thread;
		for (;;) {
			int draw = random.nextInt(100);
			int which = 0;
			while (draw >= PERCENT[which]) {
				draw -= PERCENT[which++];
			}

			x = step(which, x, thread);
			sink = x;
		}
	}

	public static void main(String[] args) throws Exception {
		for (int thread = 0; thread < THREADS; thread++) {
			int index = thread;
			Thread worker = new Thread(() -> work(index), "worker-" + index);
			worker.setDaemon(true);
			worker.start();
		}

		Thread.sleep(1500);
		System.out.println("ready");
		long[] before = new long[PERCENT.length];
		while (System.in.read() == '\n') {
			for (int which = 0; which < PERCENT.length; which++) {
				long sum = 0;
				for (int thread = 0; thread < THREADS; thread++) {
					sum += SPENT[thread][which];
				}

				System.out.println("share " + METHODS[which] + " " + (sum - before[which]));
				before[which] = sum;
			}

			System.out.println("done");
		}
	}
}
