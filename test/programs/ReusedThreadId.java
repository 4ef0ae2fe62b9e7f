import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.CountDownLatch;

/**
 * On each line of standard input: ends the thread "reused", if there is one, and starts another that Linux gives the same
 * id within the pid namespace. Needs the right to write ns_last_pid.
 */
public class ReusedThreadId {
	static volatile int id;

	public static void main(String[] args) throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		Thread reused = start(end);
		int wanted = id;
		System.out.println("ready " + wanted);
		BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
		while (lines.readLine() != null) {
			do {
				end.countDown();
				reused.join();
				while (Files.exists(Paths.get("/proc/self/task/" + wanted))) {
					Thread.sleep(1);
				}

				Files.write(Paths.get("/proc/sys/kernel/ns_last_pid"), Integer.toString(wanted - 1).getBytes());
				end = new CountDownLatch(1);
				reused = start(end);
			} while (id != wanted);
			System.out.println("reused " + wanted);
		}

		end.countDown();
	}

	static Thread start(CountDownLatch end) throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		Thread thread = new Thread(() -> {
			try {
				id = Integer.parseInt(Files.readSymbolicLink(Paths.get("/proc/thread-self")).getFileName().toString());
				started.countDown();
				end.await();
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		}, "reused");
		thread.start();
		started.await();
		return thread;
	}
}
