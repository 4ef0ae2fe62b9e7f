import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;

/**
 * Four threads that park for 200 us and then unpark another, over and over: next to all that they use is what waking up costs. On a line on standard input it prints "park NANOSECONDS of NANOSECONDS", the CPU time that
 * the four have used in park and in all since the line before, then "done" and the line.
 */
public class WakesOften {
	static final int PAIRS = 4;
	static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
	static final long[] parkNs = new long[PAIRS * 16];
	static final long[] allNs = new long[PAIRS * 16];

	static void wake(Thread other, int at) {
		long before = THREADS.getCurrentThreadCpuTime();
		while (true) {
			LockSupport.parkNanos(200_000);
			long woken = THREADS.getCurrentThreadCpuTime();
			LockSupport.unpark(other);
			long after = THREADS.getCurrentThreadCpuTime();
			parkNs[at] += woken - before;
			allNs[at] += after - before;
			before = after;
		}
	}

	static long sum(long[] values) {
		long sum = 0;
		for (long value : values) {
			sum += value;
		}

		return sum;
	}

	static void start(String name, Runnable body) {
		Thread thread = new Thread(body, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		for (int pair = 0; pair < PAIRS; pair++) {
			int at = pair * 16;
			start("waking-" + pair, () -> {
				Thread woken = new Thread(() -> {
					while (true) {
						LockSupport.park();
					}
				}, "woken-" + at / 16);
				woken.setDaemon(true);
				woken.start();
				wake(woken, at);
			});
		}

		System.out.println("ready");
		long lastPark = 0;
		long lastAll = 0;
		StringBuilder line = new StringBuilder();
		for (int read; (read = System.in.read()) != -1;) {
			if (read != '\n') {
				line.append((char) read);
				continue;
			}

			long park = sum(parkNs);
			long all = sum(allNs);
			System.out.println("park " + (park - lastPark) + " of " + (all - lastAll));
			System.out.println("done " + line);
			lastPark = park;
			lastAll = all;
			line.setLength(0);
		}
	}
}
