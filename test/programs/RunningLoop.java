import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
A thread in a loop that never ends, in a class with another method, and one that works off a task and rests for a millisecond, whose
loop ends. Prints "ready" once both have run for a while.
*/
public class RunningLoop {
	static volatile long sink;

	static final class Endless {
		static void spin() {
			long sum = 0;
			for (int round = 1; ; round++) {
				for (int i = 0; i < 4096; i++) {
					sum = sum * 6364136223846793005L + i;
				}

				sink = sum;
				if (round % 1000 == 0) {
					rare();
				}
			}
		}

		static void rare() {
			sink++;
		}
	}

	static final class Served {
		static void work() {
			for (int i = 0; i < 1000; i++) {
				sink += i;
			}
		}
	}

	public static void main(String[] args) throws Exception {
		// Not at a fixed rate: after a while without a CPU it would be in its loop all the time.
		Executors.newScheduledThreadPool(1).scheduleWithFixedDelay(new Runnable() {
			@Override
			public void run() {
				Served.work();
			}
		}, 0, 1, TimeUnit.MILLISECONDS);
		new Thread("looper") {
			@Override
			public void run() {
				Endless.spin();
			}
		}.start();
		Thread.sleep(300);
		System.out.println("ready");
	}
}
