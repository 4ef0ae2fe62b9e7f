import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
Threads "blocked-N" wait for a monitor, "queued-N" for a ReentrantLock; "holder" has both. Meanwhile "garbage" allocates and collects, so that the collector moves the locks again and again. Prints "ready" when all wait.
*/
public class HeldWhileMoving {
	static class Account {
		long[] balance = new long[2];
	}

	static class Lock extends ReentrantLock {
		long[] filler = new long[2];
	}

	static volatile Object sink;
	static Account account;
	static Lock lock;

	public static void main(String[] args) throws Exception {
		// Between objects that die, so that their page is worth moving.
		List<Object> dying = new ArrayList<>();
		for (int i = 0; i < 20_000; i++) {
			dying.add(new byte[100]);
			if (i == 10_000) {
				account = new Account();
				lock = new Lock();
			}
		}

		dying = null;
		Thread holder = new Thread(() -> {
			lock.lock();
			synchronized (account) {
				rest();
			}
		}, "holder");
		holder.start();
		while (holder.getState() != Thread.State.TIMED_WAITING) {
			Thread.sleep(1);
		}

		for (int i = 0; i < 2; i++) {
			startUntil(new Thread(() -> {
				synchronized (account) {
					rest();
				}
			}, "blocked-" + i), Thread.State.BLOCKED);
			startUntil(new Thread(() -> lock.lock(), "queued-" + i), Thread.State.WAITING);
		}

		new Thread(() -> {
			List<Object> kept = new ArrayList<>();
			for (int i = 0;; i++) {
				kept.add(new byte[200 + (i % 100)]);
				sink = new byte[1000];
				if (kept.size() > 20_000) {
					kept = new ArrayList<>(kept.subList(19_000, 20_000));
					System.gc();
					pause(10);
				}
			}
		}, "garbage").start();
		System.out.println("ready");
	}

	static void startUntil(Thread thread, Thread.State state) throws Exception {
		thread.start();
		while (thread.getState() != state) {
			Thread.sleep(1);
		}
	}

	static void rest() {
		pause(1_000_000);
	}

	static void pause(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException end) {
			// Ends.
		}
	}
}
