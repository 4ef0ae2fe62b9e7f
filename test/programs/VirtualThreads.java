import java.util.concurrent.locks.LockSupport;

/**
Virtual threads (21 and later) that are mounted: "spinning" runs without a stop, below DEPTH frames; "resumed" has parked once below DEPTH frames, so that most of them stay in the heap while it runs at
their end. Arguments: DEPTH (default 30); "garbage" to have the collector move objects all the time. Prints "ready" when both run.
*/
public class VirtualThreads {
	static volatile long sink;
	static volatile int running;

	public static void main(String[] args) throws Exception {
		int depth = args.length > 0 ? Integer.parseInt(args[0]) : 30;
		Thread.ofVirtual().name("spinning").start(() -> spinDown(depth));
		Thread resumed = Thread.ofVirtual().name("resumed").start(() -> parkDown(depth));
		while (resumed.getState() != Thread.State.WAITING) {
			Thread.sleep(5);
		}

		LockSupport.unpark(resumed);
		while (running < 2) {
			Thread.sleep(5);
		}

		if (args.length > 1) {
			Thread garbage = new Thread(VirtualThreads::makeGarbage, "garbage");
			garbage.setDaemon(true);
			garbage.start();
		}

		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void makeGarbage() {
		byte[][] kept = new byte[2000][];
		for (long i = 0; ; i++) {
			kept[(int) (i % kept.length)] = new byte[8192];
			if (i % 20_000 == 0) {
				System.gc();
			}
		}
	}

	static void spinDown(int depth) {
		if (depth > 1) {
			spinDown(depth - 1);
			sink++;
			return;
		}

		spin();
	}

	static void parkDown(int depth) {
		if (depth > 1) {
			parkDown(depth - 1);
			sink++;
			return;
		}

		LockSupport.park();
		spin();
	}

	static synchronized void count() {
		running++;
	}

	static void spin() {
		count();
		for (;;) {
			sink += work();
		}
	}

	static long work() {
		long sum = 0;
		for (int i = 0; i < 100_000; i++) {
			sum += i * 31L ^ sum;
		}

		return sum;
	}
}
