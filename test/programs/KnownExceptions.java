import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.locks.LockSupport;

/**
 * Throws exceptions of known classes at known lines. At each line of its input it prints how many: of NotFound, of
 * Rejected, and of Quiet, which has no stack trace.
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

	public static void main(String[] args) throws Exception {
		Thread thread = new Thread(KnownExceptions::throwAll, "thrower");
		thread.setDaemon(true);
		thread.start();
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		System.out.println("ready");
		while (in.readLine() != null) {
			System.out.println(notFound + " " + rejected + " " + quiet);
		}
	}
}
