import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Virtual threads (21 and later) that are not mounted, each kind waiting for something else, and two platform threads that
 * wait for what virtual ones hold. From 24 on for monitors too. Needs --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED
 * for what a StructuredTaskScope is made of. Prints the ports of a server that never answers and of one that accepts, then
 * "ready" when all wait.
 */
public class VirtualWaitsEveryWay {
	static final int READERS = 30;
	static final ReentrantLock LOCK = new ReentrantLock();
	static final ReentrantLock OTHER = new ReentrantLock();
	static final Condition CONDITION = OTHER.newCondition();
	static final LinkedBlockingQueue<String> QUEUE = new LinkedBlockingQueue<>();
	static final Object MONITOR = new Ledger();
	static final Object NOTIFIED = new Bell();
	static ServerSocket silent;
	static ServerSocket accepting;

	static class Ledger {}

	static class Bell {}

	interface Body {
		void run() throws Exception;
	}

	public static void main(String[] args) throws Exception {
		silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
		accepting = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
		CountDownLatch held = new CountDownLatch(1);
		start("holder", 1, () -> hold(held));
		held.await();
		start("reader", READERS, VirtualWaitsEveryWay::read);
		start("acceptor", 1, VirtualWaitsEveryWay::accept);
		start("sleeper", 5, VirtualWaitsEveryWay::sleep);
		start("taker", 6, VirtualWaitsEveryWay::take);
		start("condition", 7, VirtualWaitsEveryWay::await);
		start("wants", 20, VirtualWaitsEveryWay::lock);
		platform("platform-wants", VirtualWaitsEveryWay::lock);
		if (Runtime.version().feature() >= 24) {
			CountDownLatch entered = new CountDownLatch(1);
			start("keeper", 1, () -> keep(entered));
			entered.await();
			start("enters", 8, VirtualWaitsEveryWay::enter);
			start("notified", 9, VirtualWaitsEveryWay::notified);
			platform("platform-enters", VirtualWaitsEveryWay::enter);
		}

		CountDownLatch opened = new CountDownLatch(2);
		platform("scope-owner", () -> scope(opened, VirtualWaitsEveryWay::inScope, 11));
		Executors.newVirtualThreadPerTaskExecutor().submit(() -> {
			scope(opened, VirtualWaitsEveryWay::inScopeOfVirtual, 12);
		});
		opened.await();
		Thread.sleep(500);
		System.out.println("ports " + silent.getLocalPort() + " " + accepting.getLocalPort());
		System.out.println("ready");
		forGood();
	}

	static void start(String name, int count, Runnable body) {
		for (int i = 1; i <= count; i++) {
			Thread.ofVirtual().name(count == 1 ? name : name + "-" + i).start(body);
		}
	}

	static void platform(String name, Runnable body) {
		Thread.ofPlatform().daemon().name(name).start(body);
	}

	static void quietly(Body body) {
		try {
			body.run();
		} catch (Exception error) {
			error.printStackTrace();
		}
	}

	static void forGood() throws InterruptedException {
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void hold(CountDownLatch held) {
		quietly(() -> {
			LOCK.lock();
			held.countDown();
			forGood();
		});
	}

	static void keep(CountDownLatch entered) {
		quietly(() -> {
			synchronized (MONITOR) {
				entered.countDown();
				forGood();
			}
		});
	}

	static void read() {
		quietly(() -> {
			try (Socket socket = new Socket(silent.getInetAddress(), silent.getLocalPort())) {
				socket.getInputStream().read();
			}
		});
	}

	static void accept() {
		quietly(() -> {
			accepting.accept();
		});
	}

	static void sleep() {
		quietly(() -> {
			forGood();
		});
	}

	static void take() {
		quietly(() -> {
			QUEUE.take();
		});
	}

	static void await() {
		quietly(() -> {
			OTHER.lock();
			CONDITION.await();
		});
	}

	static void lock() {
		LOCK.lock();
	}

	static void enter() {
		synchronized (MONITOR) {
			throw new IllegalStateException();
		}
	}

	static void notified() {
		quietly(() -> {
			synchronized (NOTIFIED) {
				NOTIFIED.wait();
			}
		});
	}

	/** Opens a scope, starts threads in it, and waits for them. */
	static void scope(CountDownLatch opened, Runnable body, int count) {
		quietly(() -> {
			Class<?> flock = Class.forName("jdk.internal.misc.ThreadFlock");
			Object scope = flock.getMethod("open", String.class).invoke(null, "scope");
			Method start = flock.getMethod("start", Thread.class);
			for (int i = 1; i <= count; i++) {
				start.invoke(scope, Thread.ofVirtual().unstarted(body));
			}

			opened.countDown();
			flock.getMethod("awaitAll").invoke(scope);
		});
	}

	static void inScope() {
		quietly(() -> {
			forGood();
		});
	}

	static void inScopeOfVirtual() {
		quietly(() -> {
			forGood();
		});
	}
}
