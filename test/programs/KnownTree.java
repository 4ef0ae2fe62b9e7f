/**
Seven threads of several roots that come to {@code find} by ways of their own and stand there for good, so that each has a seventh of all samples: four serve (two of them sleep below
{@code find}, one waits for a monitor's notification in {@code fetch}, one uses CPU time in {@code parse}), two visit recursively, six calls deep, and one runs lambdas. Prints "ready" when all stand.
*/
public class KnownTree {
	static volatile long sink;
	static volatile boolean parses;

	static void serve(int kind) {
		handle(kind);
	}

	static void handle(int kind) {
		find(kind);
	}

	static void visit(int depth) {
		if (depth == 0) {
			find(0);
		} else {
			visit(depth - 1);
		}
	}

	static void find(int kind) {
		if (kind == 0) {
			rest();
		} else if (kind == 1) {
			fetch();
		} else {
			parse();
		}
	}

	static void rest() {
		try {
			Thread.sleep(1_000_000);
		} catch (InterruptedException expected) {
			throw new IllegalStateException(expected);
		}
	}

	static void fetch() {
		Object lock = new Object();
		synchronized (lock) {
			try {
				lock.wait();
			} catch (InterruptedException expected) {
				throw new IllegalStateException(expected);
			}
		}
	}

	static void parse() {
		long sum = 1;
		for (int i = 0; ; i++) {
			sum = sum * 31 + i;
			if ((i & 0xFFFF) == 0) {
				sink = sum;
				parses = true;
			}
		}
	}

	interface Step {
		void go(int kind);
	}

	static Thread start(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.start();
		return thread;
	}

	public static void main(String[] args) throws Exception {
		Thread[] resting = new Thread[6];
		for (int i = 0; i < 2; i++) {
			resting[i] = start("serve-" + i, new Runnable() {
				@Override
				public void run() {
					serve(0);
				}
			});
		}

		resting[2] = start("serve-2", () -> serve(1));
		start("serve-3", () -> serve(2));
		for (int i = 3; i < 5; i++) {
			resting[i] = start("visit-" + i, () -> visit(5));
		}

		Step inner = kind -> find(kind);
		Step outer = kind -> inner.go(kind);
		resting[5] = start("lambda", () -> outer.go(0));
		for (Thread thread : resting) {
			while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.WAITING) {
				Thread.sleep(5);
			}
		}

		while (!parses) {
			Thread.sleep(5);
		}

		System.out.println("ready");
	}
}
