import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
A server with nothing to do: workers of pools without tasks, one that runs a task now and then, threads at a queue, a
selector and accept, and four that read requests of clients which send none. Prints "ready".
*/
public class IdleServer {
	static volatile Object sink;
	static volatile long count;

	public static void main(String[] args) throws Exception {
		ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		ExecutorService workers = Executors.newFixedThreadPool(8);
		for (int i = 0; i < 8; i++) {
			workers.execute(() -> count++);
		}

		ScheduledExecutorService scheduled = Executors.newScheduledThreadPool(2);
		scheduled.scheduleAtFixedRate(() -> count++, 0, 100, TimeUnit.MILLISECONDS);
		new Timer("timer").schedule(new TimerTask() {
			@Override
			public void run() {
				count++;
			}
		}, 100, 100);
		LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();
		start("loop-1", () -> sink = queue.take());
		start("loop-2", () -> sink = queue.take());
		Selector selector = Selector.open();
		start("selector", () -> selector.select());
		for (int i = 0; i < 4; i++) {
			Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
			Socket connection = server.accept();
			start("http-" + i, () -> request(connection));
			sink = new Object[] {sink, client};
		}

		start("acceptor", () -> server.accept());
		Thread.sleep(200);
		System.out.println("ready");
		Thread.currentThread().join();
	}

	static int request(Socket connection) throws Exception {
		return connection.getInputStream().read();
	}

	static void start(String name, Callable<?> body) {
		Thread thread = new Thread(() -> {
			try {
				body.call();
			} catch (Exception ended) {
				sink = ended;
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}
}
