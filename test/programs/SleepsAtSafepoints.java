/**
 * Threads that sleep for a millisecond again and again, beside one in a counted loop that takes half a second or so. Started with -XX:-UseCountedLoopSafepoints, that loop does not stop for a safepoint: each
 * stack trace that "main" takes of all threads holds up, until the loop ends, whoever is on its way into or out of a sleep then.
 */
public class SleepsAtSafepoints {
	static final int SLEEPERS = 200;
	static final int[] NUMBERS = new int[1024];
	static volatile int sink;

	static int count() {
		int x = 1;
		for (int i = 0; i < 500_000_000; i++) {
			x = x * 31 + NUMBERS[i & 1023];
		}

		return x;
	}

	static void pause() {
		try {
			Thread.sleep(1);
		} catch (InterruptedException ended) {
			Thread.currentThread().interrupt();
		}
	}

	static void start(String name, Runnable work) {
		Thread thread = new Thread(() -> {
			while (true) {
				work.run();
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < SLEEPERS; i++) {
			start("sleeper-" + i, SleepsAtSafepoints::pause);
		}

		start("counter", () -> sink = count());
		System.out.println("ready");
		while (true) {
			Thread.sleep(20);
			sink = Thread.getAllStackTraces().size();
		}
	}
}
