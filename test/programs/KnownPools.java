import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Pools whose figures are known. "state" lets all held tasks go, holds other numbers of them, and prints what the pools'
 * own getters say, which stays so until the next "state". "twin" makes another pool of that name. Beside them a pool works all the time ("load": what it has
 * completed), and with the argument "garbage" a thread allocates and collects.
 */
public class KnownPools {
	static final Random random = new Random(7);
	static volatile Object sink;

	/** Holds tasks until it is let go. */
	static class Held implements Runnable, Comparable<Held> {
		final AtomicInteger started;
		final CountDownLatch end;

		Held(AtomicInteger started, CountDownLatch end) {
			this.started = started;
			this.end = end;
		}

		public void run() {
			started.incrementAndGet();
			try {
				end.await();
			} catch (InterruptedException e) {
				throw new IllegalStateException(e);
			}
		}

		public int compareTo(Held other) {
			return 0;
		}
	}

	/** A pool and the tasks that it holds. */
	static abstract class Known {
		final String name;
		final int most;
		private CountDownLatch end = new CountDownLatch(0);

		Known(String name, int most) {
			this.name = name;
			this.most = most;
		}

		abstract Executor executor();

		abstract int size();

		abstract int active();

		abstract int queued();

		abstract String figures();

		/** A pool may refuse a task while its threads are on their way to the queue. */
		void execute(Held task) throws InterruptedException {
			while (true) {
				try {
					executor().execute(task);
					return;
				} catch (RejectedExecutionException e) {
					Thread.sleep(1);
				}
			}
		}

		void next() throws InterruptedException {
			end.countDown();
			while (active() + queued() > 0) {
				Thread.sleep(1);
			}

			end = new CountDownLatch(1);
			AtomicInteger started = new AtomicInteger();
			int tasks = random.nextInt(most + 1);
			for (int task = 0; task < tasks; task++) {
				execute(new Held(started, end));
			}

			while (
				active() != started.get() || active() + queued() != tasks || (queued() > 0 && active() < size())
			) {
				Thread.sleep(1);
			}
		}
	}

	static Known known(String name, int most, ThreadPoolExecutor pool, int limit) {
		return new Known(name, most) {
			Executor executor() {
				return pool;
			}

			int size() {
				return pool.getPoolSize();
			}

			int active() {
				return pool.getActiveCount();
			}

			/** Without those that are due later. */
			int queued() {
				int queued = 0;
				for (Runnable task : pool.getQueue()) {
					queued += task instanceof Delayed && ((Delayed) task).getDelay(TimeUnit.NANOSECONDS) > 0 ? 0 : 1;
				}

				return queued;
			}

			String figures() {
				return size() + " " + limit + " " + active() + " " + queued() + " "
					+ pool.getCompletedTaskCount();
			}
		};
	}

	static Known known(String name, int most, ForkJoinPool pool) {
		return new Known(name, most) {
			Executor executor() {
				return pool;
			}

			int size() {
				return pool.getPoolSize();
			}

			int active() {
				return pool.getActiveThreadCount();
			}

			int queued() {
				return (int) pool.getQueuedTaskCount() + pool.getQueuedSubmissionCount();
			}

			String figures() {
				return size() + " " + pool.getParallelism() + " " + active() + " " + queued() + " "
					+ pool.getStealCount();
			}
		};
	}

	/** Names threads after a pool; a wrapper hides the pool's worker, as some frameworks do. */
	static ThreadFactory named(String name, boolean wraps) {
		AtomicInteger count = new AtomicInteger();
		return task -> {
			Runnable run = wraps ? () -> task.run() : task;
			Thread thread = new Thread(run, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	static ForkJoinPool forkJoin(String name, int parallelism) {
		AtomicInteger count = new AtomicInteger();
		return new ForkJoinPool(parallelism, pool -> {
			ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
			thread.setName(name + "-" + count.incrementAndGet());
			return thread;
		}, null, true);
	}

	static ThreadPoolExecutor pool(String name, int core, int most, BlockingQueue<Runnable> queue, boolean wraps) {
		return new ThreadPoolExecutor(core, most, 1, TimeUnit.HOURS, queue, named(name, wraps));
	}

	static void garbage() {
		List<byte[]> kept = new ArrayList<>();
		for (int round = 0; ; round++) {
			for (int i = 0; i < 2000; i++) {
				sink = new byte[random(1000)];
			}

			kept.add(new byte[10_000]);
			if (kept.size() > 500) {
				kept.clear();
			}

			if (round % 300 == 0) {
				System.gc();
			}
		}
	}

	static int random(int most) {
		return ThreadLocalRandom.current().nextInt(most);
	}

	public static void main(String[] args) throws Exception {
		ScheduledThreadPoolExecutor scheduled = new ScheduledThreadPoolExecutor(3, named("timer", false));
		for (int later = 0; later < 40; later++) {
			scheduled.schedule(() -> {}, random(3) + 1, TimeUnit.HOURS);
		}

		ThreadPoolExecutor load = pool("load", 3, 3, new ArrayBlockingQueue<>(50), false);
		load.setRejectedExecutionHandler(new ThreadPoolExecutor.CallerRunsPolicy());
		Known[] all = {
			known("fixed", 20, pool("fixed", 4, 4, new LinkedBlockingQueue<>(), false), 4),
			known("bounded", 13, pool("bounded", 2, 5, new ArrayBlockingQueue<>(8), false), 5),
			known("linked", 13, pool("linked", 2, 5, new LinkedBlockingQueue<>(8), false), 5),
			known("deque", 9, pool("deque", 2, 6, new LinkedBlockingDeque<>(), true), 2),
			known("direct", 7, pool("direct", 0, 7, new SynchronousQueue<>(), true), 7),
			known("priority", 9, pool("priority", 3, 3, new PriorityBlockingQueue<>(), false), 3),
			known("timer", 9, scheduled, 3),
			known("forked", 9, forkJoin("forked", 3)),
			known("common", 9, ForkJoinPool.commonPool()),
		};
		pool("twin", 2, 2, new LinkedBlockingQueue<>(), false).prestartAllCoreThreads();
		Thread feeder = new Thread(() -> {
			while (true) {
				load.execute(() -> sink = new byte[random(100)]);
			}
		}, "feeder");
		feeder.setDaemon(true);
		feeder.start();
		if (args.length > 0 && args[0].equals("garbage")) {
			Thread garbage = new Thread(KnownPools::garbage, "garbage");
			garbage.setDaemon(true);
			garbage.start();
		}

		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		System.out.println("ready");
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			if (line.equals("twin")) {
				pool("twin", 3, 3, new LinkedBlockingQueue<>(), false).prestartAllCoreThreads();
			}

			for (Known pool : line.startsWith("state") ? all : new Known[0]) {
				pool.next();
			}

			for (Known pool : line.startsWith("state") ? all : new Known[0]) {
				System.out.println(pool.name + " " + pool.figures());
			}

			System.out.println("load " + load.getCompletedTaskCount());
			System.out.println("done " + line);
		}
	}
}
