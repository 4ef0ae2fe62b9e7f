import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Known blocking, for good: a chain (chain-b waits for chain-a, chain-c and chain-d for chain-b), a lock of
 * java.util.concurrent (parked waits for owner), a writer that waits for two readers, two that wait for one which holds a
 * monitor in a compiled method and another in one that was compiled into it (with -Xbatch); and three deadlocks: of three
 * at monitors (three-1 to three-3), of two at monitors (two-1, two-2), and of two at a monitor and a ReentrantLock
 * (mixed-1, mixed-2).
 */
public class KnownBlocking {
	static class Account {}

	static class Depot {}

	static class Pool {}

	static class Cache {}

	static class Desk {}

	static class Shelf {}

	static class Box {}

	interface Body {
		void run() throws InterruptedException;
	}

	public static void main(String[] args) throws Exception {
		Object pool = new Pool();
		Object cache = new Cache();
		start("chain-a", () -> hold(pool));
		start("chain-b", () -> both(cache, pool));
		start("chain-c", () -> hold(cache));
		start("chain-d", () -> hold(cache));

		ReentrantLock lock = new ReentrantLock();
		start("owner", () -> holdLock(lock));
		start("parked", () -> holdLock(lock));

		ReentrantReadWriteLock readWrite = new ReentrantReadWriteLock();
		start("reader", () -> holdLock(readWrite.readLock()));
		start("reader-2", () -> holdLock(readWrite.readLock()));
		start("writer", () -> holdLock(readWrite.writeLock()));

		Object[] depots = {new Depot(), new Depot(), new Depot()};
		CountDownLatch held = new CountDownLatch(3);
		for (int i = 0; i < 3; i++) {
			int own = i;
			start("three-" + (i + 1), () -> meet(depots[own], depots[(own + 1) % 3], held));
		}

		Object[] desks = {new Desk(), new Desk()};
		CountDownLatch seated = new CountDownLatch(2);
		for (int i = 0; i < 2; i++) {
			int own = i;
			start("two-" + (i + 1), () -> meet(desks[own], desks[1 - own], seated));
		}

		Object shelf = new Shelf();
		Object box = new Box();
		// The compilers come to it.
		for (int i = 0; i < 30_000; i++) {
			shelve(shelf, box, 0);
		}

		start("deep", () -> shelve(shelf, box, Long.MAX_VALUE / 2_000_000));
		start("wants-shelf", () -> hold(shelf));
		start("wants-box", () -> hold(box));

		Object account = new Account();
		ReentrantLock other = new ReentrantLock();
		CountDownLatch met = new CountDownLatch(2);
		start("mixed-1", () -> {
			synchronized (account) {
				await(met);
				other.lock();
			}
		});
		start("mixed-2", () -> {
			other.lock();
			await(met);
			try {
				intoMonitor(account);
			} finally {
				other.unlock();
			}
		});
		Thread.sleep(300);
		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static Thread start(String name, Body body) throws InterruptedException {
		Thread thread = new Thread(() -> {
			try {
				body.run();
			} catch (InterruptedException ended) {
				Thread.currentThread().interrupt();
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
		// One after the other, so that it is known who has what, on a busy machine too.
		for (int looks = 0; looks < 3;) {
			Thread.sleep(10);
			looks = thread.getState() == Thread.State.RUNNABLE ? 0 : looks + 1;
		}

		return thread;
	}

	static void sleepForGood() throws InterruptedException {
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void hold(Object monitor) throws InterruptedException {
		synchronized (monitor) {
			sleepForGood();
		}
	}

	static void both(Object first, Object second) throws InterruptedException {
		synchronized (first) {
			synchronized (second) {
				sleepForGood();
			}
		}
	}

	static void holdLock(Lock lock) throws InterruptedException {
		lock.lock();
		sleepForGood();
	}

	static void shelve(Object outer, Object inner, long ms) throws InterruptedException {
		synchronized (outer) {
			pack(inner, ms);
		}
	}

	static void pack(Object inner, long ms) throws InterruptedException {
		synchronized (inner) {
			Thread.sleep(ms);
		}
	}

	static void meet(Object own, Object next, CountDownLatch held) throws InterruptedException {
		synchronized (own) {
			await(held);
			synchronized (next) {
				throw new IllegalStateException("no deadlock");
			}
		}
	}

	static void intoMonitor(Object monitor) {
		synchronized (monitor) {
			throw new IllegalStateException("no deadlock");
		}
	}

	static void await(CountDownLatch latch) throws InterruptedException {
		latch.countDown();
		latch.await();
	}
}
