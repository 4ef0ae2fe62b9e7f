import java.util.concurrent.locks.LockSupport;

/** THREADS threads (first argument) with stacks of DEPTH frames (second): every tenth works for 0.2 ms every 10 ms at one of four lines, the others park, sleep or wait for a monitor's notify. */
public class ManyThreads {
	static final long WORK_NS = 200_000;
	static final long PAUSE_NS = 10_000_000;
	static volatile long sink;

	static void even(int left, int kind) throws InterruptedException {
		if (left > 0) {
			odd(left - 1, kind);
		} else {
			leaf(kind);
		}
	}

	static void odd(int left, int kind) throws InterruptedException {
		if (left > 0) {
			even(left - 1, kind);
		} else {
			leaf(kind);
		}
	}

	static void leaf(int kind) throws InterruptedException {
		Object own = new Object();
		for (;;) {
			switch (kind % 10) {
				case 0:
					work(kind / 10);
					break;
				case 1: case 2: case 3:
					Thread.sleep(20 * kind);
					break;
				case 4: case 5:
					synchronized (own) {
						own.wait();
					}
					break;
				default:
					LockSupport.park();
			}
		}
	}

	static void work(int which) throws InterruptedException {
		long until = System.nanoTime() + WORK_NS;
		switch (which % 4) {
			case 0: first(until); break;
			case 1: second(until); break;
			case 2: third(until); break;
			default: fourth(until);
		}
		LockSupport.parkNanos(PAUSE_NS);
	}

	static void first(long until) {
		while (System.nanoTime() < until) {
			sink++;
		}
	}

	static void second(long until) {
		while (System.nanoTime() < until) {
			sink += 2;
		}
	}

	static void third(long until) {
		while (System.nanoTime() < until) {
			sink += 3;
		}
	}

	static void fourth(long until) {
		while (System.nanoTime() < until) {
			sink += 4;
		}
	}

	public static void main(String[] args) throws Exception {
		int threads = Integer.parseInt(args[0]);
		int depth = Integer.parseInt(args[1]);
		for (int index = 0; index < threads; index++) {
			int kind = index;
			Thread thread = new Thread(() -> {
				try {
					// The thread's own frames and those of the leaf are left out.
					even(Math.max(0, depth - 5), kind);
				} catch (InterruptedException problem) {
					throw new RuntimeException(problem);
				}
			}, "worker-" + index);
			thread.setDaemon(true);
			thread.start();
		}
		Thread.sleep(500);
		System.out.println("ready");
		System.in.read();
	}
}
