import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Tasks that work for 50 to 500 us, in one of four methods. Argument: "pool" (four threads that park between tasks; each task wakes the one who hands out the next), "hand-over" (two pairs of threads that take
 * turns, each waking the other), "many" (the pool with 200 threads), "runnable" (eight threads that seldom park) or "timers" (four tasks of a scheduler that fire each millisecond). How many rounds each method
 * has done is known exactly, and what a round costs is measured in some of the long tasks: the mean, as interrupts and lost CPUs count for the work that they fall in, less what asking for CPU time costs. It is asked twice
 * before the work, as a thread that asks for it may lose its CPU there. On a line on standard input it prints
 * "share METHOD NANOSECONDS" for the CPU time spent there since the line before, "rounds ROUNDS" for what was done in it, "used NANOSECONDS" for the CPU time of the process, then "done".
 */
public class KnownBursts {
	static final int MOST_THREADS = 200;
	static final String[] METHODS = {"fifty", "hundred", "threeHundred", "fiveHundred"};
	static final int[] MICROS = {50, 100, 300, 500};
	/** Tasks of each kind in ten. */
	static final int[] KINDS = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
	static final int TIMED_FROM_MICROS = 300;
	static final int TIMED_EVERY = 3;
	static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
	static final long[][] ROUNDS = new long[MOST_THREADS][METHODS.length];
	/** CPU time of the long tasks that were timed, and their rounds. */
	static final LongAdder TIMED_NS = new LongAdder();
	static final LongAdder TIMED_ROUNDS = new LongAdder();
	static final int[] TASKS = new int[MOST_THREADS];
	static volatile long sink;
	static int roundsPerMicro = 1000;
	static long askingNs;

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

	static void task(int thread, int kind) {
		int rounds = MICROS[kind] * roundsPerMicro;
		boolean isTimed = MICROS[kind] >= TIMED_FROM_MICROS && TASKS[thread]++ % TIMED_EVERY == 0;
		long start = isTimed ? CLOCK.getCurrentThreadCpuTime() : 0;
		start = isTimed ? CLOCK.getCurrentThreadCpuTime() : start;
		sink += step(kind, rounds);
		if (isTimed) {
			TIMED_NS.add(CLOCK.getCurrentThreadCpuTime() - start - askingNs);
			TIMED_ROUNDS.add(rounds);
		}

		ROUNDS[thread][kind] += rounds;
	}

	static long sum(long[][] counts, int kind) {
		long sum = 0;
		for (long[] ofThread : counts) {
			sum += ofThread[kind];
		}

		return sum;
	}

	interface Body {
		void run() throws Exception;
	}

	static void start(String name, Body body) {
		Thread thread = new Thread(() -> {
			try {
				body.run();
			} catch (Exception ended) {
				Thread.currentThread().interrupt();
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	/** Hands out so many tasks at the same time, and again after so long at the earliest. */
	static void startPool(int threads, int atOnce, long everyNs) {
		BlockingQueue<Integer> tasks = new LinkedBlockingQueue<>();
		BlockingQueue<Integer> finished = new LinkedBlockingQueue<>();
		for (int thread = 0; thread < threads; thread++) {
			int index = thread;
			start("pool-" + index, () -> {
				for (;;) {
					int kind = tasks.take();
					task(index, kind);
					finished.put(kind);
				}
			});
		}

		start("handing-out", () -> {
			long next = System.nanoTime();
			for (int task = 0;;) {
				for (int i = 0; i < atOnce; i++) {
					tasks.put(KINDS[task++ % KINDS.length]);
				}

				for (int i = 0; i < atOnce; i++) {
					finished.take();
				}

				next = Math.max(next + everyNs, System.nanoTime());
				long waitNs = next - System.nanoTime();
				if (waitNs > 0) {
					Thread.sleep(waitNs / 1_000_000, (int) (waitNs % 1_000_000));
				}
			}
		});
	}

	/** Two threads that take turns; a task in between. */
	static void startPair(int first) {
		Semaphore[] turns = {new Semaphore(1), new Semaphore(0)};
		for (int side = 0; side < 2; side++) {
			int index = first + side;
			Semaphore own = turns[side];
			Semaphore other = turns[1 - side];
			start("pair-" + index, () -> {
				for (int task = index; ; task++) {
					own.acquire();
					task(index, KINDS[task % KINDS.length]);
					other.release();
				}
			});
		}
	}

	static void startRunnable(int threads) {
		for (int thread = 0; thread < threads; thread++) {
			int index = thread;
			start("runnable-" + index, () -> {
				for (int task = index; ; task++) {
					task(index, KINDS[task % KINDS.length]);
					if (task % 50 == 0) {
						LockSupport.parkNanos(200_000);
					}
				}
			});
		}
	}

	static void startTimers() {
		ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(4, body -> {
			Thread thread = new Thread(body, "timer");
			thread.setDaemon(true);
			return thread;
		});
		for (int timer = 0; timer < 4; timer++) {
			int index = timer;
			int[] task = {timer};
			scheduler.scheduleAtFixedRate(() -> task(index, KINDS[task[0]++ % KINDS.length]), 0, 1, TimeUnit.MILLISECONDS);
		}
	}

	static void startWork(String kind) {
		switch (kind) {
			case "pool": startPool(4, 3, 900_000); break;
			case "many": startPool(200, 12, 2_000_000); break;
			case "runnable": startRunnable(8); break;
			case "timers": startTimers(); break;
			default: startPair(0); startPair(2);
		}
	}

	/** Rounds in a microsecond of this thread's CPU time, once the methods are compiled. */
	static int calibrated() {
		for (int i = 0; i < 4_000; i++) {
			sink += step(i % 4, 20_000);
		}

		long start = CLOCK.getCurrentThreadCpuTime();
		for (int i = 0; i < 400; i++) {
			sink += step(i % 4, 500_000);
		}

		return (int) (400L * 500_000 * 1000 / (CLOCK.getCurrentThreadCpuTime() - start));
	}

	/** What asking for CPU time costs, the median. */
	static long askingNs() {
		long[] costs = new long[4001];
		for (int i = 0; i < costs.length; i++) {
			long start = CLOCK.getCurrentThreadCpuTime();
			costs[i] = CLOCK.getCurrentThreadCpuTime() - start;
		}

		Arrays.sort(costs);
		return costs[costs.length / 2];
	}

	public static void main(String[] args) throws Exception {
		roundsPerMicro = calibrated();
		askingNs = askingNs();
		startWork(args[0]);
		Thread.sleep(1500);
		System.out.println("ready");
		com.sun.management.OperatingSystemMXBean system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		long[] before = new long[METHODS.length];
		long usedBefore = system.getProcessCpuTime();
		while (System.in.read() == '\n') {
			double perRound = (double) TIMED_NS.sumThenReset() / TIMED_ROUNDS.sumThenReset();
			long done = 0;
			for (int kind = 0; kind < METHODS.length; kind++) {
				long rounds = sum(ROUNDS, kind) - before[kind];
				before[kind] += rounds;
				done += rounds;
				System.out.println("share " + METHODS[kind] + " " + Math.round(rounds * perRound));
			}

			System.out.println("rounds " + done);
			long used = system.getProcessCpuTime();
			System.out.println("used " + (used - usedBefore));
			usedBefore = used;
			System.out.println("done");
		}
	}
}
