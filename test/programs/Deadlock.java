import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Two threads in a deadlock at two monitors, "stuck-1" and "stuck-2"; and three, "turn-1" to "turn-3", that hold a third
 * monitor for 5 ms in turn, asleep, with nothing between. With the argument "later": the first two are in one, at a monitor
 * and a ReentrantLock, from the line "deadlock" of standard input to the line "over", and again; each is answered by "done"
 * and the line.
 */
public class Deadlock {
	static final Object FIRST = new Object();
	static final Object SECOND = new Object();
	static final Object TURN = new Object();
	static final CountDownLatch HELD = new CountDownLatch(2);
	static final ReentrantLock LOCK = new ReentrantLock();

	public static void main(String[] args) throws Exception {
		if (args.length > 0) {
			later();
			return;
		}

		Thread one = start("stuck-1", () -> enter(FIRST, SECOND));
		Thread two = start("stuck-2", () -> enter(SECOND, FIRST));
		for (int i = 1; i <= 3; i++) {
			start("turn-" + i, Deadlock::takeTurns);
		}

		awaitStates(one, Thread.State.BLOCKED, two, Thread.State.BLOCKED);
		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	interface Body {
		void run() throws InterruptedException;
	}

	static void later() throws Exception {
		BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
		Thread one = null;
		Thread two = null;
		System.out.println("ready");
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			if (line.equals("deadlock")) {
				CountDownLatch both = new CountDownLatch(2);
				one = start("stuck-1", () -> meet(FIRST, both));
				two = start("stuck-2", () -> meetLocked(FIRST, both));
				awaitStates(one, Thread.State.WAITING, two, Thread.State.BLOCKED);
			} else {
				one.interrupt();
				one.join();
				two.join();
			}

			System.out.println("done " + line);
		}
	}

	static void awaitStates(Thread one, Thread.State ofOne, Thread two, Thread.State ofTwo) throws InterruptedException {
		while (one.getState() != ofOne || two.getState() != ofTwo) {
			Thread.sleep(1);
		}
	}

	static void meet(Object monitor, CountDownLatch both) throws InterruptedException {
		synchronized (monitor) {
			both.countDown();
			both.await();
			LOCK.lockInterruptibly();
		}
	}

	static void meetLocked(Object monitor, CountDownLatch both) throws InterruptedException {
		LOCK.lock();
		try {
			both.countDown();
			both.await();
			synchronized (monitor) {
				LOCK.lock();
				LOCK.unlock();
			}
		} finally {
			LOCK.unlock();
		}
	}

	static Thread start(String name, Body body) {
		Thread thread = new Thread(() -> {
			try {
				body.run();
			} catch (InterruptedException ended) {
				Thread.currentThread().interrupt();
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	static void enter(Object own, Object other) throws InterruptedException {
		synchronized (own) {
			HELD.countDown();
			HELD.await();
			synchronized (other) {
				throw new IllegalStateException("no deadlock");
			}
		}
	}

	static void takeTurns() throws InterruptedException {
		for (;;) {
			synchronized (TURN) {
				Thread.sleep(5);
			}
		}
	}
}
