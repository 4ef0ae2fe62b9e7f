/**
 * Starts a thread for each task, task-0, task-1 and so on, argument 1 of them a second: each waits for the lock of a Ledger,
 * which the thread "keeper" holds for 80 of 100 ms, then works for a millisecond and is gone. Prints how many were started,
 * once a second. Ends with its standard input.
 */
public class BlockedTasks {
	static class Ledger {
	}

	static final Ledger ledger = new Ledger();
	static volatile long sink;

	static void keep() {
		try {
			while (true) {
				synchronized (ledger) {
					Thread.sleep(80);
				}
				Thread.sleep(20);
			}
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void task() {
		synchronized (ledger) {
			sink++;
		}
		long end = System.nanoTime() + 1_000_000;
		while (System.nanoTime() < end) {
			sink++;
		}
	}

	static void start(long perSecond) {
		try {
			long began = System.nanoTime();
			for (long number = 0; true; number++) {
				new Thread(BlockedTasks::task, "task-" + number).start();
				if ((number + 1) % perSecond == 0) {
					System.out.println("started " + (number + 1));
				}
				long waitMs = (began + number * 1_000_000_000 / perSecond - System.nanoTime()) / 1_000_000;
				if (waitMs > 0) {
					Thread.sleep(waitMs);
				}
			}
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void daemon(Runnable work, String name) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		long perSecond = Long.parseLong(args[0]);
		daemon(BlockedTasks::keep, "keeper");
		daemon(() -> start(perSecond), "starter");
		System.out.println("ready");
		while (System.in.read() != -1) {
		}
		System.exit(0);
	}
}
