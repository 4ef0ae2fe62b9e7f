import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Throws exceptions of known classes, and starts threads that end at once, at known lines. At each line of its input it
 * prints how many: of NotFound, of Rejected, and of Quiet, which has no stack trace; threads started by itself, and by
 * an executor. Argument: the number of other threads, which allocate more than these (default 0).
 */
public class KnownExceptions {
	static class Failure extends RuntimeException {
		Failure(String message, boolean hasStackTrace) {
			super(message, null, true, hasStackTrace);
		}
	}

	static final class NotFound extends Failure {
		NotFound() {
			super("not found", true);
		}
	}

	static final class Quiet extends Failure {
		Quiet() {
			super("quiet", false);
		}
	}

	static void find() {
		throw new NotFound();
	}

	/** Its constructor throws. */
	static final class Order {
		Order(int price) throws Rejected {
			if (price < 0) {
				throw new Rejected();
			}
		}
	}

	static final class Rejected extends Exception {}

	static void quiet() {
		throw new Quiet();
	}

	static volatile long notFound;
	static volatile long rejected;
	static volatile long quiet;

	static void throwAll() {
		for (int round = 0;; round++) {
			try {
				find();
			} catch (NotFound e) {
				notFound++;
			}

			if (round % 3 == 0) {
				try {
					new Order(-1);
				} catch (Rejected e) {
					rejected++;
				}
			}

			try {
				quiet();
			} catch (Quiet e) {
				quiet++;
			}

			LockSupport.parkNanos(10_000_000);
		}
	}

	static volatile long started;
	static volatile long submitted;

	/** Without time to wait for another task, each thread runs one. */
	static final ThreadPoolExecutor executor =
		new ThreadPoolExecutor(0, 1000, 0, TimeUnit.SECONDS, new SynchronousQueue<>());

	static void start() {
		new Thread(KnownExceptions::end).start();
	}

	static void submit() {
		executor.execute(KnownExceptions::end);
	}

	static void end() {}

	static void startAll() {
		for (;;) {
			start();
			started++;
			submit();
			submitted++;
			LockSupport.parkNanos(40_000_000);
		}
	}

	static volatile Object garbage;

	static void allocateAll() {
		for (;;) {
			garbage = new byte[100_000];
			LockSupport.parkNanos(50_000_000);
		}
	}

	static void startDaemon(Runnable body, String name) {
		Thread thread = new Thread(body, name);
		thread.setDaemon(true);
		thread.start();
	}

	public static void main(String[] args) throws Exception {
		startDaemon(KnownExceptions::throwAll, "thrower");
		startDaemon(KnownExceptions::startAll, "starter");
		for (int others = args.length > 0 ? Integer.parseInt(args[0]) : 0; others > 0; others--) {
			startDaemon(KnownExceptions::allocateAll, "other-" + others);
		}

		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		System.out.println("ready");
		while (in.readLine() != null) {
			System.out.println(notFound + " " + rejected + " " + quiet + " " + started + " " + submitted);
		}
	}
}
