import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * THREADS threads (first argument) want one monitor for SECONDS (second), as another holds it for a millisecond at a time,
 * and are parked for as long, again and again. Prints "ready"; for each line of standard input, the line "contended A of B":
 * nanoseconds that threads have been contended for, and those of all threads since a fixed moment. Ends with the input.
 */
public class ContendedThenParked {
	static final Object monitor = new Object();
	static volatile boolean isContended = true;
	static volatile long sink;
	/** Nanoseconds that each thread has been contended for, and since when it is; 0 where it is not. */
	static AtomicLongArray contendedNs;
	static AtomicLongArray sinceNs;

	static void serve(int index) {
		while (true) {
			long beginNs = System.nanoTime();
			sinceNs.set(index, beginNs);
			while (isContended) {
				synchronized (monitor) {
					sink++;
					long end = System.nanoTime() + 1_000_000;
					while (System.nanoTime() < end) {
						sink++;
					}
				}
			}
			sinceNs.set(index, 0);
			contendedNs.addAndGet(index, System.nanoTime() - beginNs);
			LockSupport.park();
		}
	}

	static void printContended() {
		long nowNs = System.nanoTime();
		long sum = 0;
		for (int i = 0; i < contendedNs.length(); i++) {
			long since = sinceNs.get(i);
			sum += contendedNs.get(i) + (since == 0 ? 0 : nowNs - since);
		}
		System.out.println("contended " + sum + " of " + nowNs * contendedNs.length());
	}

	public static void main(String[] args) throws Exception {
		Thread[] threads = new Thread[Integer.parseInt(args[0])];
		long milliseconds = (long) (1000 * Double.parseDouble(args[1]));
		contendedNs = new AtomicLongArray(threads.length);
		sinceNs = new AtomicLongArray(threads.length);
		for (int i = 0; i < threads.length; i++) {
			int index = i;
			threads[i] = new Thread(null, () -> serve(index), "worker-" + i, 256 * 1024);
			threads[i].setDaemon(true);
			threads[i].start();
		}

		Thread phases = new Thread(() -> {
			try {
				while (true) {
					Thread.sleep(milliseconds);
					isContended = !isContended;
					if (isContended) {
						for (Thread thread : threads) {
							LockSupport.unpark(thread);
						}
					}
				}
			} catch (InterruptedException e) {
				throw new IllegalStateException(e);
			}
		}, "phases");
		phases.setDaemon(true);
		phases.start();
		System.out.println("ready");
		for (int read = System.in.read(); read != -1; read = System.in.read()) {
			if (read == '\n') {
				printContended();
			}
		}
		System.exit(0);
	}
}
