import java.util.concurrent.locks.LockSupport;

/**
 * THREADS threads (first argument) that work for 100 microseconds, together about half of a core; beside them STARTS (second) threads a second are started, which work as long and end. Prints
 * "ready" when all are there; ends with its standard input.
 */
public class BusyAmongShortLived {
	static volatile long sink;

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
		for (int i = 0; i < threads; i++) {
			start("worker-" + i, () -> {
				for (;;) {
					work();
					LockSupport.parkNanos(restNs);
				}
			});
		}

		start("starter", () -> {
			for (long due = System.nanoTime(), count = 0;; count++) {
				start("short-" + count, BusyAmongShortLived::work);
				due = Math.max(due + 1_000_000_000L / starts, System.nanoTime() - 100_000_000L);
				LockSupport.parkNanos(due - System.nanoTime());
			}
		});
		Thread.sleep(1500);
		System.out.println("ready");
		while (System.in.read() >= 0) {
		}
	}
}
