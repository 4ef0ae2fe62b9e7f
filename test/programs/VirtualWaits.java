import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads (21 and later), none of them mounted: one holds a ReentrantLock, asleep, and twenty wait for it. With
 * "deadlock" as argument, "left" and "right" wait for each other instead, and two without names. Prints "ready".
 */
public class VirtualWaits {
	static final ReentrantLock LOCK = new ReentrantLock();

	private static void deadlock(String name, String other) {
		ReentrantLock first = new ReentrantLock();
		ReentrantLock second = new ReentrantLock();
		CountDownLatch bothHeld = new CountDownLatch(2);
		Thread.ofVirtual().name(name).start(() -> takeBoth(first, second, bothHeld));
		Thread.ofVirtual().name(other).start(() -> takeBoth(second, first, bothHeld));
	}

	private static void takeBoth(ReentrantLock first, ReentrantLock second, CountDownLatch bothHeld) {
		first.lock();
		bothHeld.countDown();
		try {
			bothHeld.await();
		} catch (InterruptedException ended) {
			return;
		}

		second.lock();
	}

	public static void main(String[] args) throws Exception {
		if (args.length > 0) {
			deadlock("left", "right");
			deadlock("", "");
			System.out.println("ready");
			Thread.sleep(Long.MAX_VALUE / 2_000_000);
		}

		CountDownLatch held = new CountDownLatch(1);
		Thread.ofVirtual().name("holder").start(() -> {
			LOCK.lock();
			held.countDown();
			try {
				Thread.sleep(Long.MAX_VALUE / 2_000_000);
			} catch (InterruptedException ended) {
				LOCK.unlock();
			}
		});
		held.await();
		for (int i = 1; i <= 20; i++) {
			Thread.ofVirtual().name("waiter-" + i).start(LOCK::lock);
		}

		while (LOCK.getQueueLength() < 20) {
			Thread.sleep(5);
		}

		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}
}
