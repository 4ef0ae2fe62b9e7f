import java.util.concurrent.CountDownLatch;

/**
 * A class whose initialiser sleeps for good in the thread "initialiser", and nineteen threads that need the class:
 * "needs-1" to "needs-19", for an instance, a field, a method, or by its name. Another, "other", whose initialiser sleeps
 * too; nobody needs it. Prints "ready".
 */
public class ClassInitialisation {
	static final CountDownLatch BEGUN = new CountDownLatch(2);
	static volatile Object sink;

	static class Slow {
		static int value = sleepForGood();

		static void call() {}
	}

	static class Other {
		static int value = sleepForGood();
	}

	interface Body {
		void run() throws Exception;
	}

	public static void main(String[] args) throws Exception {
		start("initialiser", Slow::call);
		start("other", () -> sink = Other.value);
		BEGUN.await();
		Body[] needs = {() -> sink = new Slow(), () -> sink = Slow.value, Slow::call, () -> Class.forName("ClassInitialisation$Slow")};
		for (int i = 1; i <= 19; i++) {
			start("needs-" + i, needs[i % needs.length]);
		}

		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void start(String name, Body body) {
		Thread thread = new Thread(() -> {
			try {
				body.run();
			} catch (Exception ended) {
				throw new IllegalStateException(ended);
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}

	static int sleepForGood() {
		BEGUN.countDown();
		try {
			Thread.sleep(Long.MAX_VALUE / 2_000_000);
		} catch (InterruptedException ended) {
			return 1;
		}

		return 2;
	}
}
