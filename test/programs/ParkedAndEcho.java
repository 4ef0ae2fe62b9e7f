import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.locks.LockSupport;

/** Parks THREADS threads DEPTH frames deep (arguments; default none), prints "ready", then repeats every line it reads, until its input ends. */
public class ParkedAndEcho {
	public static void main(String[] args) throws Exception {
		Thread[] threads = new Thread[args.length > 0 ? Integer.parseInt(args[0]) : 0];
		final int depth = args.length > 1 ? Integer.parseInt(args[1]) : 1;
		for (int i = 0; i < threads.length; i++) {
			Thread thread = new Thread(new Runnable() {
				public void run() {
					down(depth);
				}
			}, "parked-" + i);
			thread.setDaemon(true);
			thread.start();
			threads[i] = thread;
		}

		for (Thread thread : threads) {
			while (thread.getState() != Thread.State.WAITING) {
				Thread.sleep(1);
			}
		}

		System.out.println("ready");
		BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			System.out.println("echo " + line);
		}
	}

	private static void down(int depth) {
		if (depth > 1) {
			down(depth - 1);
			return;
		}

		for (;;) {
			LockSupport.park();
		}
	}
}
