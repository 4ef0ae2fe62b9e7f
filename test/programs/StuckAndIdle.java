import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.Timer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that are stuck: "request-*" wait for a ReentrantLock that "writer" holds, asleep; "transfer-*" are in a deadlock
 * of two such locks; "db-*" read from a server that never answers; "borrower-*" of a pool wait in tasks for something that
 * nobody puts into a queue; "latch-*" wait for a CountDownLatch. And threads without work: those of executors (fixed-*,
 * cached-*, scheduled-*, fork-join-*, tomcat-* as Tomcat's), a Timer ("timer"), a loop at a queue ("loop"), at a selector
 * ("selector") and at accept of one socket (acceptor-*). Prints "ready".
 */
public class StuckAndIdle {
	static final ReentrantLock LOCK = new ReentrantLock();
	static volatile Object sink;

	interface Body {
		void run() throws Exception;
	}

	/** Tomcat's is one, too: its take is on the stack above the one that it inherits. */
	static class TaskQueue extends LinkedBlockingQueue<Runnable> {
		@Override
		public Runnable take() throws InterruptedException {
			return super.take();
		}
	}

	static class Wrapped implements Runnable {
		private final Runnable wrapped;

		Wrapped(Runnable wrapped) {
			this.wrapped = wrapped;
		}

		@Override
		public void run() {
			wrapped.run();
		}
	}

	static class Loop extends Thread {
		private final LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();

		Loop() {
			super("loop");
		}

		@Override
		public void run() {
			try {
				for (;;) {
					sink = next();
				}
			} catch (InterruptedException ended) {
				sink = ended;
			}
		}

		private Object next() throws InterruptedException {
			return queue.take();
		}
	}

	static class Pool {
		static final SynchronousQueue<Object> FREE = new SynchronousQueue<>();

		static Object borrow() throws InterruptedException {
			return FREE.poll(1, TimeUnit.DAYS);
		}
	}

	public static void main(String[] args) throws Exception {
		start("writer", () -> {
			LOCK.lock();
			sleepForGood();
		});
		while (!LOCK.isLocked()) {
			Thread.sleep(1);
		}

		for (int i = 1; i <= 20; i++) {
			start("request-" + i, StuckAndIdle::request);
		}

		ReentrantLock[] locks = {new ReentrantLock(), new ReentrantLock()};
		CountDownLatch both = new CountDownLatch(2);
		start("transfer-1", () -> transfer(locks[0], locks[1], both));
		start("transfer-2", () -> transfer(locks[1], locks[0], both));

		ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		CountDownLatch never = new CountDownLatch(1);
		ThreadPoolExecutor borrowers = (ThreadPoolExecutor) Executors.newFixedThreadPool(5, named("borrower"));
		for (int i = 1; i <= 5; i++) {
			start("db-" + i, () -> ask(server));
			start("latch-" + i, never::await);
			borrowers.submit(Pool::borrow);
		}

		for (int i = 0; i < 3; i++) {
			// Each makes a thread of its own.
			CountDownLatch done = new CountDownLatch(1);
			Runnable task = done::countDown;
			FIXED.execute(task);
			CACHED.execute(task);
			SCHEDULED.execute(task);
			TOMCAT.execute(task);
			done.await();
		}

		new ForkJoinPool(2, pool -> {
			java.util.concurrent.ForkJoinWorkerThread worker = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
			worker.setName("fork-join-" + worker.getPoolIndex());
			return worker;
		}, null, false).submit(() -> {}).get();
		start(new Loop());
		Selector selector = Selector.open();
		start("selector", selector::select);
		ServerSocket accepting = new ServerSocket();
		accepting.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
		for (int i = 1; i <= 3; i++) {
			start("acceptor-" + i, accepting::accept);
		}

		Thread.sleep(500);
		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	/** Kept, as the thread of one that is collected ends. */
	static final Timer TIMER = new Timer("timer", true);
	static final ThreadPoolExecutor FIXED = (ThreadPoolExecutor) Executors.newFixedThreadPool(3, named("fixed"));
	static final ThreadPoolExecutor CACHED = (ThreadPoolExecutor) Executors.newCachedThreadPool(named("cached"));
	static final ThreadPoolExecutor SCHEDULED = (ThreadPoolExecutor) Executors.newScheduledThreadPool(3, named("scheduled"));
	static final ThreadPoolExecutor TOMCAT = new ThreadPoolExecutor(3, 3, 1, TimeUnit.DAYS, new TaskQueue(), named("tomcat"));

	static ThreadFactory named(String name) {
		AtomicInteger count = new AtomicInteger();
		return task -> {
			Thread thread = new Thread(new Wrapped(task), name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	static void start(String name, Body body) {
		start(new Thread(() -> {
			try {
				body.run();
			} catch (Exception ended) {
				throw new IllegalStateException(ended);
			}
		}, name));
	}

	static void start(Thread thread) {
		thread.setDaemon(true);
		thread.start();
	}

	static void sleepForGood() throws InterruptedException {
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void request() {
		LOCK.lock();
		LOCK.unlock();
	}

	static void transfer(ReentrantLock own, ReentrantLock other, CountDownLatch both) throws InterruptedException {
		own.lock();
		both.countDown();
		both.await();
		other.lock();
	}

	static void ask(ServerSocket server) throws Exception {
		try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
			sink = socket.getInputStream().read();
		}
	}
}
