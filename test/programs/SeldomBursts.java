import java.util.concurrent.locks.LockSupport;

/** Threads "seldom-0" and so on (their number is the first argument) that work for 25 ms, then park at the same place for 700 ms. */
public class SeldomBursts {
	static final long WORK_NS = 25_000_000;
	static final long PAUSE_NS = 700_000_000;
	static volatile long sink;

	static void work() {
		long until = System.nanoTime() + WORK_NS;
		while (System.nanoTime() < until) {
			sink++;
		}
	}

	public static void main(String[] args) {
		for (int i = 0; i < Integer.parseInt(args[0]); i++) {
			new Thread(() -> {
				for (;;) {
					work();
					LockSupport.parkNanos(PAUSE_NS);
				}
			}, "seldom-" + i).start();
		}

		System.out.println("ready");
	}
}
