import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads (21 and later), none of them mounted: one holds a ReentrantLock, asleep, and twenty wait for it. Prints
 * "ready".
 */
public class VirtualWaits {
	static final ReentrantLock LOCK = new ReentrantLock();

	public static void main(String[] args) throws Exception {
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
