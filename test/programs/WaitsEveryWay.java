import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
Threads that wait in every way Java has, each below a stack of mixed frames (recursion, lambdas, reflection, comparators, initialisers), some compiled, some interpreted. Arguments: threads of each kind
(default 1), depth (default 20). Prints "ready" when all wait. Then every line it reads is answered by "done", after a collection for the line "gc".
*/
public class WaitsEveryWay {
	static final Object MONITOR = new Object();
	static final Object HELD = new Object();
	static final ReentrantLock LOCK = new ReentrantLock();
	static final CountDownLatch NEVER = new CountDownLatch(1);
	static volatile boolean warm = true;
	static volatile int sink;
	static ServerSocket server;
	static final List<Thread> started = new ArrayList<>();

	interface Wait {
		void run() throws Exception;
	}

	/** Its initialiser waits; a second thread that needs it waits for the first. */
	static class SlowToStart {
		static final int VALUE = start();

		static int start() {
			try {
				Thread.sleep(Long.MAX_VALUE / 2_000_000);
			} catch (InterruptedException ended) {
				return 1;
			}

			return 2;
		}
	}

	static void down(int depth, Wait wait) {
		if (depth <= 0) {
			end(wait);
		} else if (depth % 5 == 1) {
			viaLambda(depth - 1, wait);
		} else if (depth % 7 == 2) {
			viaReflection(depth - 1, wait);
		} else if (depth % 11 == 3) {
			viaComparator(depth - 1, wait);
		} else {
			down(depth - 1, wait);
		}
	}

	static void viaLambda(int depth, Wait wait) {
		IntConsumer next = left -> down(left, wait);
		next.accept(depth);
	}

	static void viaReflection(int depth, Wait wait) {
		try {
			Method method = WaitsEveryWay.class.getDeclaredMethod("down", int.class, Wait.class);
			method.invoke(
				null,
				depth,
				wait);
		} catch (ReflectiveOperationException problem) {
			throw new IllegalStateException(problem);
		}
	}

	static void viaComparator(final int depth, final Wait wait) {
		final boolean[] done = new boolean[1];
		List<Integer> two = new ArrayList<>(Arrays.asList(2, 1));
		Collections.sort(two, new Comparator<Integer>() {
			@Override
			public int compare(Integer a, Integer b) {
				if (!done[0]) {
					done[0] = true;
					down(depth, wait);
				}

				return a - b;
			}
		});
	}

	static void end(Wait wait) {
		if (warm) {
			sink++;
			return;
		}

		try {
			wait.run();
		} catch (Exception problem) {
			problem.printStackTrace();
		}
	}

	public static void main(String[] args) throws Exception {
		int each = args.length > 0 ? Integer.parseInt(args[0]) : 1;
		int depth = args.length > 1 ? Integer.parseInt(args[1]) : 20;
		// Warm enough for the compilers to take the recursion, not the ends.
		for (int i = 0; i < 4000; i++) {
			down(20, null);
		}

		warm = false;
		server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
		Socket accepted = server.accept();
		synchronized (HELD) {
			LOCK.lock();
			for (int i = 0; i < each; i++) {
				start("parked-" + i, depth, () -> LockSupport.park());
				start("parked-for-long-" + i, depth, () -> LockSupport.parkNanos(Long.MAX_VALUE));
				start("sleeping-" + i, depth, () -> Thread.sleep(Long.MAX_VALUE / 2_000_000));
				start("waiting-" + i, depth, () -> {
					synchronized (MONITOR) {
						MONITOR.wait();
					}
				});
				start("waiting-for-long-" + i, depth, () -> {
					synchronized (MONITOR) {
						MONITOR.wait(Long.MAX_VALUE / 2_000_000);
					}
				});
				start("blocked-" + i, depth, () -> {
					synchronized (HELD) {
						sink++;
					}
				});
				start("locking-" + i, depth, () -> LOCK.lock());
				start("latch-" + i, depth, () -> NEVER.await());
				start("queue-" + i, depth, () -> new LinkedBlockingQueue<String>().take());
				start("accepting-" + i, depth, () -> server.accept());
				start("joining-" + i, depth, () -> Thread.currentThread().join());
			}

			start("reading", depth, () -> sink = client.getInputStream().read());
			await(start("initialising", depth, () -> sink = SlowToStart.VALUE), Thread.State.TIMED_WAITING);
			start("waiting for the initialiser", depth, () -> sink = SlowToStart.VALUE);
			start("a name with \"quotes\" and a tab\t and \u00e9\u4e2d\ud83d\ude00", 3, () -> LockSupport.park());
			start("", 3, () -> LockSupport.park());
			for (Thread thread : started) {
				await(thread, Thread.State.BLOCKED, Thread.State.WAITING, Thread.State.TIMED_WAITING);
			}

			// They are in these states a moment before they stand still; those that read, accept or initialise are in none.
			Thread.sleep(300);
			System.out.println("ready");
			for (int read = System.in.read(), line = 0; read != -1; read = System.in.read()) {
				if (read == 'g') {
					System.gc();
				}

				if (read == '\n') {
					System.out.println("done");
				}
			}
		}

		accepted.close();
	}

	/** Starts a thread; those that come to wait in a state of Java's own are remembered. */
	static Thread start(String name, int depth, Wait wait) {
		Thread thread = new Thread(() -> down(depth, wait), name);
		thread.setDaemon(true);
		thread.start();
		if (!name.matches("accepting-.*|reading|waiting for the initialiser")) {
			started.add(thread);
		}

		return thread;
	}

	static void await(Thread thread, Thread.State... states) throws InterruptedException {
		while (!Arrays.asList(states).contains(thread.getState())) {
			Thread.sleep(1);
		}
	}
}
