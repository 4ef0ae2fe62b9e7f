import java.util.concurrent.locks.LockSupport;

/**
 * THREADS threads (first argument) whose names change each PERIOD milliseconds (second), the first ten of which work for
 * a twentieth of a millisecond each 20 ms in between: there is never a name that was there before.
 */
public class NewNames {
	static final long WORK_NS = 50_000;
	static volatile long sink;

	static void work() {
		long until = System.nanoTime() + WORK_NS;
		while (System.nanoTime() < until) {
			sink++;
		}
	}

	public static void main(String[] args) throws Exception {
		int threads = Integer.parseInt(args[0]);
		long periodMs = Long.parseLong(args[1]);
		Thread[] all = new Thread[threads];
		for (int index = 0; index < threads; index++) {
			boolean isBusy = index < 10;
			all[index] = new Thread(() -> {
				for (;;) {
					if (isBusy) {
						work();
						LockSupport.parkNanos(20_000_000);
					} else {
						LockSupport.park();
					}
				}
			});
			all[index].setDaemon(true);
			all[index].start();
		}

		new Thread(() -> {
			try {
				System.in.read();
			} catch (java.io.IOException problem) {
				// Ends, too.
			}
			System.exit(0);
		}).start();
		System.out.println("ready");
		for (long number = 0;;) {
			for (Thread thread : all) {
				thread.setName("request of customer " + number++);
			}
			Thread.sleep(periodMs);
		}
	}
}
