import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * A program in one of the troubles that people are called for, the argument: "hog", a thread that spins; "deadlock", of two
 * threads; "monitor" and "lock", fifty threads at one monitor or ReentrantLock that is held while its holder sleeps;
 * "server", a pool of twenty that reads from a server which never answers; "garbage", a heap that is full, with collections
 * one after the other (give it a small heap); "regex", an expression that backtracks without end. All are beside ten
 * threads of a pool that wait for work. Prints "ready".
 */
public class InTrouble {
	static final Object TABLE = new Object();
	static final Object ROW = new Object();
	static final ReentrantLock LOCK = new ReentrantLock();
	static final List<byte[]> KEPT = new ArrayList<>();
	static volatile long sink;

	interface Body {
		void run() throws Exception;
	}

	public static void main(String[] args) throws Exception {
		ExecutorService resting = Executors.newFixedThreadPool(10);
		for (int i = 0; i < 10; i++) {
			resting.submit(() -> sink++);
		}

		switch (args[0]) {
			case "hog":
				start("reports", InTrouble::spin);
				break;
			case "deadlock":
				CountDownLatch both = new CountDownLatch(2);
				start("transfer-1", () -> transfer(TABLE, ROW, both));
				start("transfer-2", () -> transfer(ROW, TABLE, both));
				break;
			case "monitor":
				start("writer", InTrouble::write);
				Thread.sleep(50);
				for (int i = 1; i <= 50; i++) {
					start("request-" + i, InTrouble::read);
				}

				break;
			case "lock":
				start("writer", InTrouble::writeLocked);
				Thread.sleep(50);
				for (int i = 1; i <= 50; i++) {
					start("request-" + i, InTrouble::readLocked);
				}

				break;
			case "server":
				ServerSocket dead = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				for (int i = 1; i <= 20; i++) {
					start("db-pool-" + i, () -> ask(dead));
				}

				break;
			case "garbage":
				start("cache", InTrouble::fill);
				break;
			case "regex":
				start("parser", InTrouble::match);
				break;
			default:
				throw new IllegalArgumentException(args[0]);
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

	static void sleepForGood() throws InterruptedException {
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void spin() {
		for (long count = 0;; count++) {
			sink = sink * 31 + count;
		}
	}

	static void transfer(Object own, Object other, CountDownLatch both) throws InterruptedException {
		synchronized (own) {
			both.countDown();
			both.await();
			synchronized (other) {
				throw new IllegalStateException("no deadlock");
			}
		}
	}

	static void write() throws InterruptedException {
		synchronized (TABLE) {
			sleepForGood();
		}
	}

	static void read() {
		synchronized (TABLE) {
			sink++;
		}
	}

	static void writeLocked() throws InterruptedException {
		LOCK.lock();
		try {
			sleepForGood();
		} finally {
			LOCK.unlock();
		}
	}

	static void readLocked() {
		LOCK.lock();
		try {
			sink++;
		} finally {
			LOCK.unlock();
		}
	}

	static void ask(ServerSocket server) throws IOException {
		try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
			sink += socket.getInputStream().read();
		}
	}

	static void fill() {
		Runtime runtime = Runtime.getRuntime();
		while (runtime.totalMemory() - runtime.freeMemory() < runtime.maxMemory() * 0.86) {
			KEPT.add(new byte[100_000]);
		}

		for (int i = 0;; i++) {
			try {
				KEPT.set(i % KEPT.size(), new byte[100_000 + i % 100]);
			} catch (OutOfMemoryError full) {
				KEPT.set(i % KEPT.size(), new byte[0]);
			}
		}
	}

	static void match() {
		char[] text = new char[60];
		Arrays.fill(text, 'a');
		String line = new String(text) + "!";
		sink += Pattern.compile("(x)?(a|aa)+\\1b").matcher(line).matches() ? 1 : 0;
	}
}
