import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
Tasks whose states it measures itself. Reads lines from its standard input, does what they say, prints lines "what kind
figures" of what its own clock says (nanoseconds), and "done LINE":

pool N: so many tasks of three kinds in a pool of four threads, by execute and submit in turn: count, time queued, time running;
same N: one Runnable, so many times: count;
fork N SPIN: a tree of so many fork/join tasks, each of which forks one and joins it: tasks, joins; times queued, running, joining;
follow N: so many futures that complete later, with what follows them in a pool and without: count of each, time waited for;
repeat N: a scheduled task, so many times;
virtual N: so many virtual threads that park three times each;
hold N, release: a task that runs until it is released, and so many (one) that wait behind it in a pool of one thread;
hold-same N: the same, and one object is all that wait;
remove: what waits behind it is taken out of the pool;
forget: nothing waits behind it any more, and the memory of what did is collected;
joiner: a task in that pool that waits for one of a fork/join pool;
throw N: tasks that throw.
*/
public class KnownTasks {
	static final ThreadPoolExecutor pool = new ThreadPoolExecutor(4, 4, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>());
	static final ThreadPoolExecutor single = new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>());
	static final ScheduledThreadPoolExecutor scheduled = new ScheduledThreadPoolExecutor(1);
	static final ForkJoinPool forks = new ForkJoinPool(4);
	static volatile CountDownLatch left = new CountDownLatch(0);
	static volatile CountDownLatch held = new CountDownLatch(1);
	static int behind;

	static final class Sums {
		final AtomicLong count = new AtomicLong();
		final AtomicLong queued = new AtomicLong();
		final AtomicLong running = new AtomicLong();
	}

	abstract static class Work implements Runnable {
		final Sums sums;
		final long spin;
		long submitted;

		Work(Sums sums, long spin) {
			this.sums = sums;
			this.spin = spin;
		}

		@Override
		public void run() {
			long start = System.nanoTime();
			while (System.nanoTime() - start < spin) {
				// Works.
			}

			sums.queued.addAndGet(start - submitted);
			sums.count.incrementAndGet();
			sums.running.addAndGet(System.nanoTime() - start);
			left.countDown();
		}
	}

	static final class Short extends Work {
		Short(Sums sums, long spin) {
			super(sums, spin);
		}
	}

	static final class Medium extends Work {
		Medium(Sums sums, long spin) {
			super(sums, spin * 2);
		}
	}

	static final class Long extends Work {
		Long(Sums sums, long spin) {
			super(sums, spin * 3);
		}
	}

	static final class Again implements Runnable {
		@Override
		public void run() {
			left.countDown();
		}
	}

	static final class Thrower implements Runnable {
		@Override
		public void run() {
			left.countDown();
			throw new IllegalStateException("as it should");
		}
	}

	static final class Hold implements Runnable {
		@Override
		public void run() {
			try {
				held.await();
			} catch (InterruptedException ends) {
				Thread.currentThread().interrupt();
			}
		}
	}

	static final class Joiner implements Runnable {
		@Override
		public void run() {
			forks.submit(new Leaf()).join();
		}
	}

	static final class Leaf extends RecursiveTask<Integer> {
		@Override
		protected Integer compute() {
			return 1;
		}
	}

	static final class Behind implements Runnable {
		@Override
		public void run() {
			left.countDown();
		}
	}

	static final class Node extends RecursiveTask<Integer> {
		static final AtomicLong joins = new AtomicLong();
		static final AtomicLong queued = new AtomicLong();
		static final AtomicLong running = new AtomicLong();
		static final AtomicLong joining = new AtomicLong();
		static long spin;
		final int size;
		final long made = System.nanoTime();
		private long joined;

		Node(int size) {
			this.size = size;
		}

		@Override
		protected Integer compute() {
			long start = System.nanoTime();
			queued.addAndGet(start - made);
			while (System.nanoTime() - start < spin) {
				// Works.
			}

			int sum = 1;
			if (size > 1) {
				// This one and two parts.
				int first = (size - 1) / 2;
				Node forked = new Node(size - 1 - first);
				forked.fork();
				if (first > 0) {
					Node other = new Node(first);
					other.fork();
					sum += result(other);
				}

				sum += result(forked);
			}

			running.addAndGet(System.nanoTime() - start - joined);
			return sum;
		}

		private int result(Node of) {
			long start = System.nanoTime();
			int result = of.join();
			long took = System.nanoTime() - start;
			joined += took;
			joining.addAndGet(took);
			joins.incrementAndGet();
			return result;
		}
	}

	static final class Follower implements Function<java.lang.Long, java.lang.Long> {
		static final AtomicLong waited = new AtomicLong();
		final long made = System.nanoTime();

		@Override
		public java.lang.Long apply(java.lang.Long completed) {
			waited.addAndGet(completed - made);
			return completed;
		}
	}

	static final class After implements Function<java.lang.Long, java.lang.Long> {
		@Override
		public java.lang.Long apply(java.lang.Long completed) {
			left.countDown();
			return completed;
		}
	}

	static final class Parker implements Runnable {
		final CountDownLatch parked = new CountDownLatch(3);
		volatile Thread thread;
		volatile int turn;

		@Override
		public void run() {
			thread = Thread.currentThread();
			for (int turns = 1; turns <= 3; turns++) {
				parked.countDown();
				while (turn < turns) {
					LockSupport.park(this);
				}
			}

			left.countDown();
		}
	}

	public static void main(String[] args) throws Exception {
		if (args.length > 0) {
			// Without anybody who listens: for benchmarks.
			for (String line : args) {
				act(line.split(" "));
			}

			System.exit(0);
		}

		pool.prestartAllCoreThreads();
		single.prestartAllCoreThreads();
		System.out.println("ready");
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
			act(line.split(" "));
			System.out.println("done " + line);
		}

		System.exit(0);
	}

	static void act(String[] words) throws Exception {
		int count = words.length > 1 ? Integer.parseInt(words[1]) : 0;
		long spin = words.length > 2 ? java.lang.Long.parseLong(words[2]) : 1000;
		left = new CountDownLatch(count);
		switch (words[0]) {
		case "pool":
			pool(count, spin);
			break;
		case "same":
			Runnable again = new Again();
			for (int index = 0; index < count; index++) {
				pool.execute(again);
			}

			left.await();
			break;
		case "throw":
			for (int index = 0; index < count; index++) {
				pool.submit(new Thrower());
			}

			left.await();
			break;
		case "fork":
			fork(count, spin);
			break;
		case "follow":
			follow(count);
			break;
		case "repeat":
			// An exception ends the turns.
			scheduled.scheduleAtFixedRate(() -> {
				left.countDown();
				if (left.getCount() == 0) {
					throw new IllegalStateException("enough");
				}
			}, 0, 1, TimeUnit.MILLISECONDS);
			left.await();
			break;
		case "virtual":
			virtual(count);
			break;
		case "hold":
		case "hold-same":
			held = new CountDownLatch(1);
			behind = Math.max(1, count);
			single.execute(new Hold());
			Behind same = new Behind();
			for (int index = 0; index < behind; index++) {
				single.execute(words[0].equals("hold-same") ? same : new Behind());
			}

			break;
		case "remove":
			for (Runnable each : single.getQueue().toArray(new Runnable[0])) {
				behind -= single.remove(each) ? 1 : 0;
			}

			break;
		case "forget":
			single.getQueue().clear();
			behind = 0;
			System.gc();
			break;
		case "joiner":
			single.submit(new Joiner()).get();
			break;
		case "release":
			left = new CountDownLatch(behind);
			held.countDown();
			left.await();
			break;
		default:
			throw new IllegalArgumentException(words[0]);
		}

		// What ends a task comes after what it does: both have come when the pools are at rest.
		while (pool.getActiveCount() > 0 || scheduled.getActiveCount() > 0 || (held.getCount() == 0 && single.getActiveCount() > 0) || !forks.isQuiescent() || !ForkJoinPool.commonPool().isQuiescent()) {
			Thread.sleep(1);
		}
	}

	static void pool(int count, long spin) throws Exception {
		Sums[] sums = {new Sums(), new Sums(), new Sums()};
		Work[] all = new Work[count];
		for (int index = 0; index < count; index++) {
			Sums to = sums[index % 3];
			all[index] = index % 3 == 0 ? new Short(to, spin) : index % 3 == 1 ? new Medium(to, spin) : new Long(to, spin);
		}

		for (int index = 0; index < count; index++) {
			all[index].submitted = System.nanoTime();
			if (index % 2 == 0) {
				pool.execute(all[index]);
			} else {
				pool.submit(all[index]);
			}
		}

		left.await();
		String[] names = {"Short", "Medium", "Long"};
		for (int kind = 0; kind < 3; kind++) {
			System.out.println("pool " + names[kind] + " " + sums[kind].count + " " + sums[kind].queued + " " + sums[kind].running);
		}
	}

	static void fork(int count, long spin) {
		for (AtomicLong sum : new AtomicLong[] {Node.joins, Node.queued, Node.running, Node.joining}) {
			sum.set(0);
		}

		Node.spin = spin;
		System.out.println("fork Node " + forks.invoke(new Node(count)) + " " + Node.joins);
		System.out.println("forked " + Node.queued + " " + Node.running + " " + Node.joining);
	}

	static void follow(int count) throws Exception {
		Follower.waited.set(0);
		List<CompletableFuture<java.lang.Long>> first = new ArrayList<>();
		for (int index = 0; index < count; index++) {
			CompletableFuture<java.lang.Long> future = new CompletableFuture<>();
			first.add(future);
			future.thenApplyAsync(new Follower(), index % 2 == 0 ? pool : forks).thenApply(new After());
		}

		for (CompletableFuture<java.lang.Long> future : first) {
			future.complete(System.nanoTime());
		}

		left.await();
		System.out.println("follow Follower " + count + " " + Follower.waited);
	}

	static void virtual(int count) throws Exception {
		List<Parker> all = new ArrayList<>();
		List<Thread> threads = new ArrayList<>();
		for (int index = 0; index < count; index++) {
			Parker parker = new Parker();
			all.add(parker);
			threads.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, parker));
		}

		for (int turn = 1; turn <= 3; turn++) {
			for (int index = 0; index < count; index++) {
				while (threads.get(index).getState() != Thread.State.WAITING) {
					Thread.sleep(1);
				}

				all.get(index).turn = turn;
				LockSupport.unpark(threads.get(index));
				while (turn < 3 && all.get(index).parked.getCount() > 2 - turn) {
					Thread.sleep(0, 100_000);
				}
			}
		}

		left.await();
		for (Thread thread : threads) {
			thread.join();
		}
	}
}
