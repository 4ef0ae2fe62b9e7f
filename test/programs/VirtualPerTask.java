/**
 * Virtual threads (21 and later) of short tasks, a few hundred a second: named "handler-N", and without a name. Each works for
 * about a millisecond and ends. Prints "ready".
 */
public class VirtualPerTask {
	static volatile long sink;

	static void work() {
		long end = System.nanoTime() + 1_000_000;
		while (System.nanoTime() < end) {
			sink++;
		}
	}

	static void unnamed() {
		work();
	}

	public static void main(String[] args) throws Exception {
		System.out.println("ready");
		for (long i = 0;; i++) {
			Thread.ofVirtual().name("handler-" + i).start(VirtualPerTask::work);
			Thread.startVirtualThread(VirtualPerTask::unnamed);
			Thread.sleep(5);
		}
	}
}
