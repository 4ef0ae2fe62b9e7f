import java.util.Arrays;

/**
 * Calls a tiny method all the time. Its handler of uncaught exceptions ends the JVM, as that of a fail-fast server does.
 * Prints "ready"; as soon as a thread of the agent runs, it fills its heap to the last byte for half a second, five
 * times, and then prints "survived". Its main thread may have an error of its own, which it prints as any other.
 */
public class FillsHeap {
	static volatile int count;

	public static void main(String[] args) throws InterruptedException {
		Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
			System.out.println("uncaught in " + thread.getName() + ": " + error);
			Runtime.getRuntime().halt(99);
		});
		Thread worker = new Thread(FillsHeap::work);
		worker.setDaemon(true);
		worker.start();
		Object[] kept = new Object[2_000_000];
		System.out.println("ready");
		while (!hasAgent()) {
			Thread.sleep(5);
		}

		for (int round = 0; round < 5; round++) {
			try {
				fill(kept);
				Thread.sleep(500);
			} catch (OutOfMemoryError full) {
				// Sleeping needs memory, too: the next round follows at once.
			}

			Arrays.fill(kept, null);
		}

		System.out.println("survived");
		Thread.sleep(600_000);
	}

	static void fill(Object[] kept) {
		int used = 0;
		for (int size = 65_536; size >= 16; size /= 8) {
			try {
				while (true) {
					kept[used++] = new byte[size - 16];
				}
			} catch (OutOfMemoryError full) {
				used--;
			}
		}
	}

	static boolean hasAgent() {
		Thread[] threads = new Thread[100];
		ThreadGroup group = Thread.currentThread().getThreadGroup();
		int found = (group.getParent() == null ? group : group.getParent()).enumerate(threads, true);
		for (int i = 0; i < found; i++) {
			if (threads[i].getName().equals("tprof-top")) {
				return true;
			}
		}

		return false;
	}

	static void work() {
		while (true) {
			tiny();
			if (count % 20_000 == 0) {
				try {
					Thread.sleep(1);
				} catch (InterruptedException ends) {
					return;
				}
			}
		}
	}

	static void tiny() {
		count++;
	}
}
