import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Is calm until a byte comes, burns CPU in one method for a second of its CPU time, in which another thread is blocked,
 * and is calm again. It prints when the phase began and ended (epoch milliseconds) and its CPU time.
 */
public class KnownPhases {
	static final Object LOCK = new Object();
	static final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
	static long sink;

	public static void main(String[] args) throws Exception {
		// What it takes to load this is not of the phase.
		threads.getCurrentThreadCpuTime();
		System.out.println("ready");
		System.out.flush();
		System.in.read();
		Thread burner = new Thread(KnownPhases::phase, "burner");
		burner.start();
		burner.join();
		Thread.sleep(3_600_000);
	}

	static void phase() {
		synchronized (LOCK) {
			Thread waiter = new Thread(KnownPhases::waitForLock, "waiter");
			waiter.setDaemon(true);
			waiter.start();
			long began = System.currentTimeMillis();
			long before = threads.getCurrentThreadCpuTime();
			while (threads.getCurrentThreadCpuTime() - before < 1_000_000_000L) {
				burn();
			}
			long cpu = threads.getCurrentThreadCpuTime() - before;
			System.out.println("burnt " + began + " " + System.currentTimeMillis() + " " + cpu / 1_000_000);
			System.out.flush();
		}
	}

	static void burn() {
		for (int i = 0; i < 5_000_000; i++) { sink += i * sink ^ i; }
	}

	static void waitForLock() {
		synchronized (LOCK) {
			sink++;
		}
	}
}
