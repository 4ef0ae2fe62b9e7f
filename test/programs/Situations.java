import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.zip.Deflater;

/** What an engineer is called for at night: its argument is the name of one of the methods below. Prints "ready". */
public class Situations {
	static final Object MONITOR = new Object();
	static final ReentrantLock LOCK = new ReentrantLock();
	static final AtomicInteger MAILERS = new AtomicInteger();
	static volatile Object sink;

	interface Body {
		void run() throws Exception;
	}

	public static void main(String[] args) throws Exception {
		Situations.class.getDeclaredMethod(args[0]).invoke(null);
		System.out.println("ready");
		sleep();
	}

	static void start(String name, Body body) {
		Thread thread = new Thread(() -> runs(body), name);
		thread.setDaemon(true);
		thread.start();
	}

	static void runs(Body body) {
		try {
			body.run();
		} catch (Exception ended) {
			throw new IllegalStateException(ended);
		}
	}

	static void sleep() throws InterruptedException {
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void hog() {
		start("worker", Situations::mixes);
	}

	/** More threads than there are CPUs. */
	static void crowd() {
		for (int i = 1; i <= 40; i++) {
			start("adder-" + i, Situations::mixes);
		}
	}

	static void mixes() {
		long hash = 1;
		for (;;) {
			for (int i = 0; i < 1_000_000; i++) {
				hash = hash * 6364136223846793005L + i;
			}

			sink = hash;
		}
	}

	static void deadlock() throws Exception {
		deadlocks("worker-");
	}

	/** The same of threads whose names are not ASCII. */
	static void deadlockOfUmlauts() throws Exception {
		deadlocks("Schl\u00fcssel-");
	}

	static void deadlocks(String prefix) throws Exception {
		CountDownLatch both = new CountDownLatch(2);
		Object other = new Object();
		start(prefix + 1, () -> locksBoth(MONITOR, other, both));
		start(prefix + 2, () -> locksBoth(other, MONITOR, both));
	}

	static void locksBoth(Object first, Object second, CountDownLatch both) throws Exception {
		synchronized (first) {
			both.countDown();
			both.await();
			synchronized (second) {
				sink = second;
			}
		}
	}

	static void monitor() throws Exception {
		CountDownLatch held = new CountDownLatch(1);
		start("holder", () -> {
			synchronized (MONITOR) {
				held.countDown();
				sleep();
			}
		});
		held.await();
		for (int i = 1; i <= 50; i++) {
			start("request-" + i, Situations::enters);
		}
	}

	static void enters() {
		synchronized (MONITOR) {
			sink = MONITOR;
		}
	}

	static class Journal {
		static synchronized void append() throws Exception {
			sleep();
		}
	}

	/** The monitor of a class. */
	static void classMonitor() {
		for (int i = 1; i <= 10; i++) {
			start("writer-" + i, Journal::append);
		}
	}

	/** Futures that nothing completes. */
	static void futures() {
		for (int i = 1; i <= 10; i++) {
			start("request-" + i, Situations::awaitsAnswer);
		}
	}

	static void awaitsAnswer() throws Exception {
		sink = new CompletableFuture<Object>().get();
	}

	/** A pool of four threads, whose tasks wait for other tasks of it. */
	static void poolWaitsForItself() {
		ExecutorService pool = Executors.newFixedThreadPool(4);
		CountDownLatch all = new CountDownLatch(4);
		for (int i = 0; i < 4; i++) {
			pool.submit(() -> runs(() -> awaitsChild(pool, all)));
		}
	}

	static void awaitsChild(ExecutorService pool, CountDownLatch all) throws Exception {
		all.countDown();
		all.await();
		sink = pool.submit(() -> MONITOR).get();
	}

	/** A pool of two threads that have the name of their task while they run it. */
	static void renamedThreads() {
		ExecutorService pool = Executors.newFixedThreadPool(2);
		for (int i = 0; i < 2; i++) {
			pool.execute(() -> runs(Situations::handlesOrders));
		}
	}

	static void handlesOrders() throws Exception {
		for (int i = 0;; i++) {
			Thread.currentThread().setName("order-" + (i % 2 == 0 ? "A-" : "B-") + i);
			for (int part = 0; part < 10; part++) {
				sink = part;
				Thread.sleep(30);
			}
		}
	}

	/** Give the common pool three threads. */
	static void commonPool() {
		for (int i = 0; i < 20; i++) {
			ForkJoinPool.commonPool().execute(() -> runs(Situations::sleep));
		}
	}

	/** Give the common pool two threads: its tasks sleep, one after the other. */
	static void commonPoolOfSleepers() {
		for (int i = 0; i < 10_000; i++) {
			ForkJoinPool.commonPool().execute(() -> runs(Situations::naps));
		}
	}

	static void naps() throws Exception {
		Thread.sleep(60);
	}

	/** Two threads that cannot keep up with fifty tasks a second. */
	static void queueGrows() {
		ExecutorService pool = Executors.newFixedThreadPool(2, task -> {
			Thread thread = new Thread(task, "mailer-" + MAILERS.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		});
		start("orders", () -> {
			for (;;) {
				pool.execute(() -> runs(Situations::naps));
				Thread.sleep(20);
			}
		});
	}

	/** A thread that leaves forty others a second to wait forever. */
	static void threadLeak() {
		start("leaker", () -> {
			for (int i = 1;; i++) {
				start("connection-" + i, Situations::sleep);
				Thread.sleep(25);
			}
		});
	}

	/** Give it a heap of objects to mark for each call. */
	static void systemGc() {
		List<Object> kept = new ArrayList<>();
		for (int i = 0; i < 200_000; i++) {
			kept.add(new byte[100]);
		}

		start("cleaner", () -> {
			for (;;) {
				sink = kept;
				cleansUp();
			}
		});
	}

	static void cleansUp() {
		System.gc();
	}

	static void lock() throws Exception {
		holdsLock();
		for (int i = 1; i <= 50; i++) {
			start("request-" + i, LOCK::lock);
		}
	}

	static void holdsLock() throws Exception {
		CountDownLatch held = new CountDownLatch(1);
		start("holder", () -> {
			LOCK.lock();
			held.countDown();
			sleep();
		});
		held.await();
	}

	/** 10,000 virtual threads (JDK 21 and later). */
	static void virtualThreads() throws Exception {
		holdsLock();
		for (int i = 0; i < 10_000; i++) {
			startVirtual(LOCK::lock);
		}
	}

	static void startVirtual(Body body) throws Exception {
		Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> runs(body));
	}

	/** Up to JDK 23 each virtual thread keeps its carrier while it waits; give it two carriers. */
	static void pinned() throws Exception {
		holdsLock();
		for (int i = 0; i < 30; i++) {
			Object own = new Object();
			startVirtual(() -> locksWith(own));
		}
	}

	static void locksWith(Object own) {
		synchronized (own) {
			LOCK.lock();
		}
	}

	/** A class initialiser keeps its carrier in all releases; give it one carrier. */
	static void pinnedByInitialiser() throws Exception {
		startVirtual(() -> sink = Slow.value);
		while (!begun) {
			Thread.sleep(1);
		}

		for (int i = 0; i < 28; i++) {
			startVirtual(LOCK::lock);
		}
	}

	static void deadSocket() throws Exception {
		ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		ExecutorService pool = Executors.newFixedThreadPool(20);
		for (int i = 0; i < 20; i++) {
			pool.submit(() -> runs(() -> queries(server)));
		}
	}

	static void queries(ServerSocket server) throws Exception {
		try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
			sink = socket.getInputStream().read();
		}
	}

	/** Give it -Xmx64m. */
	static void collector() {
		start("worker", () -> {
			List<Object> kept = new ArrayList<>();
			Runtime runtime = Runtime.getRuntime();
			while (runtime.totalMemory() - runtime.freeMemory() < runtime.maxMemory() * 0.88) {
				kept.add(new byte[256]);
			}

			for (int i = 0;; i = (i + 1) % kept.size()) {
				kept.set(i, new byte[256]);
			}
		});
	}

	/** 4 MB a second that are kept. */
	static void leak() {
		start("worker", () -> {
			List<Object> kept = new ArrayList<>();
			for (;;) {
				for (int i = 0; i < 40; i++) {
					kept.add(new byte[1024]);
				}

				Thread.sleep(10);
			}
		});
	}

	/** Makes a class again and again, which is compiled each time; give it -Xcomp. */
	static void jit() throws Exception {
		byte[] bytes = bytesOfWork();
		start("worker", () -> {
			for (;;) {
				sink = new Loader().define(bytes).getDeclaredConstructor().newInstance().toString();
			}
		});
	}

	static byte[] bytesOfWork() throws Exception {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (InputStream from = Situations.class.getResourceAsStream("Situations$Work.class")) {
			for (int next = from.read(); next >= 0; next = from.read()) {
				bytes.write(next);
			}
		}

		return bytes.toByteArray();
	}

	/** Loads a class again and again, beside objects to mark; give it little metaspace. */
	static void classLoading() throws Exception {
		List<Object> kept = new ArrayList<>();
		for (int i = 0; i < 300_000; i++) {
			kept.add(new byte[64]);
		}

		byte[] bytes = bytesOfWork();
		start("scripts", () -> {
			for (;;) {
				sink = kept;
				sink = new Loader().define(bytes).getDeclaredConstructor().newInstance();
			}
		});
	}

	public static class Work {
		@Override
		public String toString() {
			StringBuilder text = new StringBuilder();
			for (int i = 0; i < 10; i++) {
				text.append(part(i)).append(i % 3 == 0 ? "a" : "b").append(i * 31L);
			}

			return text.toString();
		}

		static String part(int i) {
			return i > 5 ? String.valueOf(i * 1.5) : Integer.toHexString(i);
		}
	}

	static class Loader extends ClassLoader {
		Class<?> define(byte[] bytes) {
			return defineClass("Situations$Work", bytes, 0, bytes.length);
		}
	}

	static void deflate() {
		start("worker", () -> {
			byte[] input = new byte[256 * 1024];
			for (int i = 0; i < input.length; i++) {
				input[i] = (byte) ((i * 31) ^ (i >> 7));
			}

			for (;;) {
				compresses(input);
			}
		});
	}

	static void compresses(byte[] input) {
		Deflater deflater = new Deflater(9);
		deflater.setInput(input);
		deflater.finish();
		byte[] output = new byte[input.length];
		while (!deflater.finished()) {
			deflater.deflate(output);
		}

		deflater.end();
	}

	static void regex() {
		start("worker", () -> {
			for (;;) {
				sink = validates("xxxxxxxxxxxxxxxxxxxxxxxxxx");
			}
		});
	}

	static boolean validates(String text) {
		return Pattern.compile("(x+x+)+y").matcher(text).matches();
	}

	static void classInitialiser() throws Exception {
		start("initialiser", () -> sink = Slow.value);
		while (!begun) {
			Thread.sleep(1);
		}

		for (int i = 1; i <= 5; i++) {
			start("request-" + i, () -> sink = Slow.value);
		}
	}

	static volatile boolean begun;

	static class Slow {
		static final Object value = loads();

		static Object loads() {
			begun = true;
			runs(Situations::sleep);
			return new Object();
		}
	}
}
