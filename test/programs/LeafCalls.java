import java.util.concurrent.atomic.AtomicInteger;

/**
Threads "running-N" that work by reading the clock, 200 us at a time, in a loop whose only calls are leaf calls, and then
count in another loop that is inlined behind it. Prints "ready".
*/
public class LeafCalls {
	static final AtomicInteger counted = new AtomicInteger();

	static void burst() {
		long start = System.nanoTime();
		while (System.nanoTime() - start < 200_000) {
			// Works.
		}

		count();
	}

	static void count() {
		for (;;) {
			int before = counted.get();
			if (counted.weakCompareAndSet(before, before + 1)) {
				return;
			}
		}
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 2; i++) {
			Thread thread = new Thread(() -> {
				while (true) {
					burst();
				}
			}, "running-" + i);
			thread.setDaemon(true);
			thread.start();
		}

		Thread.sleep(500);
		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE);
	}
}
