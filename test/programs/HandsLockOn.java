import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock that "first" holds while "second" and then "waiter", which holds a monitor, wait for it. With a line of standard
 * input "first" hands the lock to "second", who keeps it, and wants the monitor: nobody is in a deadlock. Prints "ready".
 */
public class HandsLockOn {
	static final ReentrantLock LOCK = new ReentrantLock(true);
	static final Object MONITOR = new Object();
	static volatile boolean isHandedOn;

	public static void main(String[] args) throws Exception {
		start("first", () -> {
			LOCK.lock();
			while (!isHandedOn) {
				pause();
			}
			LOCK.unlock();
			synchronized (MONITOR) {
				pause();
			}
		});
		while (!LOCK.isLocked()) {
			pause();
		}
		start("second", () -> {
			LOCK.lock();
			while (true) {
				pause();
			}
		});
		while (LOCK.getQueueLength() < 1) {
			pause();
		}
		start("waiter", () -> {
			synchronized (MONITOR) {
				LOCK.lock();
			}
		});
		while (LOCK.getQueueLength() < 2) {
			pause();
		}
		System.out.println("ready");
		System.in.read();
		isHandedOn = true;
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void start(String name, Runnable body) {
		Thread thread = new Thread(body, name);
		thread.setDaemon(true);
		thread.start();
	}

	static void pause() {
		try {
			Thread.sleep(10);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}
}
