import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** 200 waiting threads, twenty of each of ten kinds, beside two busy ones. A thread's name is the state it is in, a dash, what it does, a number. */
public class EveryState {
	static final Object MONITOR = new Object();
	static final ReentrantLock LOCK = new ReentrantLock();
	static final int OF_EACH = 20;
	static final List<Thread> STARTED = new ArrayList<>();
	static volatile long sink;

	interface Work {
		void run(int index) throws Exception;
	}

	static void start(String name, Work work) {
		for (int index = 0; index < OF_EACH; index++) {
			one(name + "-" + index, work, index);
		}
	}

	static Thread one(String name, Work work, int index) {
		Thread thread = new Thread(() -> {
			try {
				work.run(index);
			} catch (Exception problem) {
				throw new RuntimeException(problem);
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
		STARTED.add(thread);
		return thread;
	}

	static void burn() {
		for (;;) {
			sink++;
		}
	}

	public static void main(String[] args) throws Exception {
		CountDownLatch held = new CountDownLatch(1);
		one("WAITING-holder", index -> {
			synchronized (MONITOR) {
				LOCK.lock();
				held.countDown();
				LockSupport.park();
			}
		}, 0);
		held.await();
		InetAddress local = InetAddress.getLoopbackAddress();
		ServerSocket silent = new ServerSocket(0, 100, local);
		start("BLOCKED-monitor", index -> {
			synchronized (MONITOR) {
				sink++;
			}
		});
		start("WAITING-wait", index -> {
			Object own = new Object();
			synchronized (own) {
				own.wait();
			}
		});
		start("TIMED_WAITING-wait", index -> {
			Object own = new Object();
			synchronized (own) {
				own.wait(1_000_000);
			}
		});
		start("TIMED_WAITING-sleep", index -> Thread.sleep(1_000_000));
		start("WAITING-park", index -> LockSupport.park());
		start("TIMED_WAITING-park", index -> LockSupport.parkNanos(1_000_000_000_000L));
		start("WAITING-lock", index -> LOCK.lock());
		start("IDLE-accept", index -> new ServerSocket(0, 1, local).accept());
		start("IDLE-read", index -> {
			try (Socket socket = new Socket(local, silent.getLocalPort())) {
				socket.getInputStream().read();
			}
		});
		start("IDLE-select", index -> Selector.open().select());
		one("RUNNABLE-busy-0", index -> burn(), 0);
		one("RUNNABLE-busy-1", index -> burn(), 1);
		for (Thread thread : STARTED) {
			String state = thread.getName().split("-")[0];
			// To Java those that are idle in the kernel run.
			while (!thread.getState().name().equals(state.equals("IDLE") ? "RUNNABLE" : state)) {
				Thread.sleep(1);
			}
		}

		Thread.sleep(1500);
		System.out.println("ready");
		System.in.read();
	}
}
