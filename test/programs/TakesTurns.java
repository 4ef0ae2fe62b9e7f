import java.util.concurrent.locks.ReentrantLock;

/** Fifty threads, "http-1" to "http-50", that take a fair ReentrantLock in turn and hold it for a millisecond, asleep. Prints "ready". */
public class TakesTurns {
	static final ReentrantLock LOCK = new ReentrantLock(true);
	static volatile long sink;

	public static void main(String[] args) {
		for (int i = 1; i <= 50; i++) {
			new Thread(TakesTurns::takeTurns, "http-" + i).start();
		}

		System.out.println("ready");
	}

	static void takeTurns() {
		for (;;) {
			LOCK.lock();
			try {
				Thread.sleep(1);
			} catch (InterruptedException ended) {
				return;
			} finally {
				LOCK.unlock();
			}

			for (int i = 0; i < 2000; i++) {
				sink += i;
			}
		}
	}
}
