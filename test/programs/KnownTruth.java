import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Programs that time their own methods by the threads' CPU clocks, for measuring what a profiler says of them. After each
 * line on standard input it prints "share METHOD NANOSECONDS" for what each of them used so far, "share used NANOSECONDS"
 * for all that their threads did, and "done". The first argument says which:
 * steps WORK REST: a job of three steps of so many microseconds each, then a rest of exponential length;
 * unequal: three threads with tasks of 0.3, 1.1 and 2.7 ms in a fixed order, each after a short rest;
 * wakes: two threads that hand tasks of 60 and 180 microseconds to two others, and wait for the next moment;
 * beside: a thread that never rests beside steps of 7 ms.
 */
public class KnownTruth {
	static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
	static final String[] names = {"alpha", "beta", "gamma"};
	static final AtomicLong[] usedNs = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
	static final List<Thread> workers = new ArrayList<>();
	static volatile long sink;

	public static void main(String[] args) throws Exception {
		threads.getCurrentThreadCpuTime();
		switch (args[0]) {
			case "steps":
				start("worker", () -> steps(Double.parseDouble(args[1]), Double.parseDouble(args[2])));
				break;
			case "unequal":
				for (int index = 0; index < 3; index++) {
					int seed = index;
					start("worker-" + index, () -> unequal(new Random(seed)));
				}
				break;
			case "wakes":
				for (int index = 0; index < 2; index++) {
					SynchronousQueue<Integer> queue = new SynchronousQueue<>();
					int seed = index;
					start("taker-" + index, () -> take(queue));
					start("giver-" + index, () -> give(queue, new Random(seed)));
				}
				break;
			default:
				start("worker", () -> steps(7000, 19_000));
				start("busy", () -> {
					while (true) {
						run(2, 50_000);
					}
				});
		}

		System.out.println("ready");
		System.out.flush();
		while (System.in.read() >= 0) {
			for (int index = 0; index < names.length; index++) {
				System.out.println("share " + names[index] + " " + usedNs[index].get());
			}
			long used = 0;
			for (Thread worker : workers) {
				used += threads.getThreadCpuTime(worker.getId());
			}
			System.out.println("share used " + used);
			System.out.println("done");
			System.out.flush();
		}
		System.exit(0);
	}

	static void steps(double workUs, double restUs) {
		Random random = new Random(1);
		while (true) {
			for (int step = 0; step < 3; step++) {
				run(step, workUs);
			}
			rest(random, restUs);
		}
	}

	static void unequal(Random random) {
		double[] lengths = {300, 1100, 2700};
		while (true) {
			for (int step = 0; step < 3; step++) {
				run(step, lengths[step]);
				rest(random, 5300);
			}
		}
	}

	static void give(SynchronousQueue<Integer> queue, Random random) {
		try {
			while (true) {
				queue.put(random.nextInt(4) == 0 ? 1 : 0);
				rest(random, 400);
			}
		} catch (InterruptedException error) {
			throw new IllegalStateException(error);
		}
	}

	static void take(SynchronousQueue<Integer> queue) {
		try {
			while (true) {
				run(queue.take(), 0);
			}
		} catch (InterruptedException error) {
			throw new IllegalStateException(error);
		}
	}

	/** Runs a method for so many microseconds of its CPU time; 0: for the length that a task of its kind has. */
	static void run(int method, double microseconds) {
		long wantedNs = (long) (1000 * (microseconds > 0 ? microseconds : method == 0 ? 60 : 180));
		long before = threads.getCurrentThreadCpuTime();
		switch (method) {
			case 0:
				alpha(before + wantedNs);
				break;
			case 1:
				beta(before + wantedNs);
				break;
			default:
				gamma(before + wantedNs);
		}
		usedNs[method].addAndGet(threads.getCurrentThreadCpuTime() - before);
	}

	static void alpha(long until) {
		while (threads.getCurrentThreadCpuTime() < until) {
			sink += work(13);
		}
	}

	static void beta(long until) {
		while (threads.getCurrentThreadCpuTime() < until) {
			sink += work(17);
		}
	}

	static void gamma(long until) {
		while (threads.getCurrentThreadCpuTime() < until) {
			sink += work(19);
		}
	}

	/** Some tens of microseconds. */
	static long work(long seed) {
		long value = seed;
		for (int count = 0; count < 20_000; count++) {
			value = value * 31 + (value >>> 7);
		}
		return value;
	}

	static void rest(Random random, double meanUs) {
		LockSupport.parkNanos((long) (-Math.log(1 - random.nextDouble()) * meanUs * 1000));
	}

	static void start(String name, Runnable runnable) {
		Thread thread = new Thread(runnable, name);
		thread.setDaemon(true);
		workers.add(thread);
		thread.start();
	}
}
