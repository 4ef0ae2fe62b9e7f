import java.util.concurrent.locks.ReentrantLock;

/**
 * THREADS threads (first argument) with stacks of DEPTH frames (second), like those of a server under load: each works for some tens of microseconds, holds a lock that nine others want
 * for as long (a monitor or a ReentrantLock, half of the threads each), and sleeps for three to five milliseconds. Prints "ready" and ends with standard input.
 */
public class ContendedPool {
	static final int SHARED_BY = 10;
	static volatile long sink;

	static void work(int thread) {
		long x = thread;
		for (int i = 0; i < 20_000; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
		}

		sink = x;
	}

	static void even(int left, int thread, Object monitor, ReentrantLock lock) throws InterruptedException {
		if (left > 0) {
			odd(left - 1, thread, monitor, lock);
		} else {
			serve(thread, monitor, lock);
		}
	}

	static void odd(int left, int thread, Object monitor, ReentrantLock lock) throws InterruptedException {
		if (left > 0) {
			even(left - 1, thread, monitor, lock);
		} else {
			serve(thread, monitor, lock);
		}
	}

	static void serve(int thread, Object monitor, ReentrantLock lock) throws InterruptedException {
		for (;;) {
			work(thread);
			if (thread % 2 == 0) {
				synchronized (monitor) {
					work(thread);
					Thread.sleep(1);
				}
			} else {
				lock.lock();
				try {
					work(thread);
					Thread.sleep(1);
				} finally {
					lock.unlock();
				}
			}

			Thread.sleep(3 + thread % 3);
		}
	}

	public static void main(String[] args) throws Exception {
		int threads = Integer.parseInt(args[0]);
		int depth = Integer.parseInt(args[1]);
		Object monitor = null;
		ReentrantLock lock = null;
		for (int i = 0; i < threads; i++) {
			if (i % (2 * SHARED_BY) == 0) {
				monitor = new Object();
				lock = new ReentrantLock();
			}

			int thread = i;
			Object itsMonitor = monitor;
			ReentrantLock itsLock = lock;
			Thread server = new Thread(() -> {
				try {
					even(depth - 4, thread, itsMonitor, itsLock);
				} catch (InterruptedException e) {
					throw new IllegalStateException(e);
				}
			}, "server-" + thread);
			server.setDaemon(true);
			server.start();
		}

		System.out.println("ready");
		while (System.in.read() >= 0) {
		}
	}
}
