import java.util.concurrent.locks.LockSupport;

/**
 * THREADS threads (first argument) that work for 100 microseconds, together about half of a core; beside them STARTS (second) threads a second are started, which work as long and end. Prints
 * "ready" when all are there. At a line on standard input all rest, as soon as they have ended what they do, and it prints "resting"; at the next one they go on, and it prints "working". Ends with its
 * standard input.
 */
public class BusyAmongShortLived {
	static volatile long sink;
	static volatile boolean isResting;

	static final Object GATE = new Object();
	/** Threads that rest, and how many there are to rest. */
	static int resting;
	static int all;

	static void restIfAsked() {
		if (isResting) {
			synchronized (GATE) {
				if (++resting == all) {
					GATE.notifyAll();
				}

				while (isResting) {
					waitAtGate();
				}

				resting--;
			}
		}
	}

	static void waitAtGate() {
		try {
			GATE.wait();
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	/** Returns when all rest, or when they may go on. */
	static void setResting(boolean areResting) {
		synchronized (GATE) {
			isResting = areResting;
			GATE.notifyAll();
			while (areResting && resting < all) {
				waitAtGate();
			}
		}
	}

	static void work() {
		long end = System.nanoTime() + 100_000;
		long x = 1;
		while (System.nanoTime() < end) {
			for (int i = 0; i < 200; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		}

		sink = x;
	}

	static void start(String name, Runnable body) {
		Thread thread = new Thread(null, body, name, 1 << 18);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		int threads = Integer.parseInt(args[0]);
		int starts = Integer.parseInt(args[1]);
		long restNs = threads * 200_000L;
		all = threads + 1;
		for (int i = 0; i < threads; i++) {
			start("worker-" + i, () -> {
				for (;;) {
					work();
					LockSupport.parkNanos(restNs);
					restIfAsked();
				}
			});
		}

		start("starter", () -> {
			for (long due = System.nanoTime(), count = 0;; count++) {
				start("short-" + count, BusyAmongShortLived::work);
				due = Math.max(due + 1_000_000_000L / starts, System.nanoTime() - 100_000_000L);
				LockSupport.parkNanos(due - System.nanoTime());
				restIfAsked();
			}
		});
		Thread.sleep(1500);
		System.out.println("ready");
		while (System.in.read() == '\n') {
			setResting(!isResting);
			// Those of short life end.
			Thread.sleep(100);
			System.out.println(isResting ? "resting" : "working");
		}
	}
}
