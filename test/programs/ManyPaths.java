import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** THREADS threads (first argument) whose stacks of DEPTH frames (second) take another path every 50 ms. */
public class ManyPaths {
	static void left(int more) {
		further(more);
	}

	static void right(int more) {
		further(more);
	}

	static void further(int more) {
		if (more == 0) {
			LockSupport.parkNanos(50_000_000);
		} else if (ThreadLocalRandom.current().nextBoolean()) {
			left(more - 1);
		} else {
			right(more - 1);
		}
	}

	public static void main(String[] args) throws Exception {
		for (int i = Integer.parseInt(args[0]); i > 0; i--) {
			Thread thread = new Thread(() -> {
				for (;;) {
					further(Integer.parseInt(args[1]) / 2);
				}
			}, "path-" + i);
			thread.setDaemon(true);
			thread.start();
		}

		System.out.println("ready");
		System.in.read();
	}
}
