import java.util.concurrent.CountDownLatch;

/**
 * Two threads in a deadlock at two monitors, "stuck-1" and "stuck-2"; and three, "turn-1" to "turn-3", that hold a third
 * monitor for 5 ms in turn, asleep, with nothing between.
 */
public class Deadlock {
	static final Object FIRST = new Object();
	static final Object SECOND = new Object();
	static final Object TURN = new Object();
	static final CountDownLatch HELD = new CountDownLatch(2);

	public static void main(String[] args) throws Exception {
		Thread one = start("stuck-1", () -> enter(FIRST, SECOND));
		Thread two = start("stuck-2", () -> enter(SECOND, FIRST));
		for (int i = 1; i <= 3; i++) {
			start("turn-" + i, Deadlock::takeTurns);
		}

		while (one.getState() != Thread.State.BLOCKED || two.getState() != Thread.State.BLOCKED) {
			Thread.sleep(1);
		}

		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	interface Body {
		void run() throws InterruptedException;
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
