import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.tomcat.util.threads.TaskQueue;
import org.apache.tomcat.util.threads.TaskThreadFactory;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;

/**
 * Pools of libraries whose figures are known. "state" makes other threads than before hold connections, among threads
 * that have all held some before, and other numbers of tasks be active and queued. It prints figures of the pools' own
 * getters ("NAME SIZE LIMIT ACTIVE QUEUED") and the holders of connections ("holder THREAD").
 */
public class LibraryPools {
	static final int CONNECTIONS = 5;
	static final Random random = new Random(11);
	static HikariDataSource database;
	static AtomicInteger holding = new AtomicInteger();

	/** Takes connections when it is told so, and keeps its stack deep and full of old connections. */
	static class Worker extends Thread {
		final LinkedBlockingQueue<CountDownLatch> work = new LinkedBlockingQueue<>();

		Worker(int number) {
			super("worker-" + number);
			setDaemon(true);
			start();
		}

		@Override
		public void run() {
			try {
				while (true) {
					hold(work.take(), random.nextInt(5));
				}
			} catch (Exception e) {
				throw new IllegalStateException(e);
			}
		}

		void hold(CountDownLatch end, int depth) throws Exception {
			if (depth > 0) {
				hold(end, depth - 1);
				return;
			}

			try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
				try (ResultSet result = statement.executeQuery("select 1")) {
					result.next();
				}

				holding.incrementAndGet();
				keep(end);
				connection.isReadOnly();
			}

			holding.decrementAndGet();
		}

		void keep(CountDownLatch end) throws InterruptedException {
			end.await();
		}
	}

	static void until(java.util.function.BooleanSupplier condition) throws InterruptedException {
		while (!condition.getAsBoolean()) {
			Thread.sleep(1);
		}
	}

	static Runnable waitFor(CountDownLatch end) {
		return () -> {
			try {
				end.await();
			} catch (InterruptedException e) {
				throw new IllegalStateException(e);
			}
		};
	}

	public static void main(String[] args) throws Exception {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl("jdbc:h2:mem:test");
		config.setPoolName("orders-db");
		config.setMaximumPoolSize(CONNECTIONS);
		config.setConnectionTimeout(3_600_000);
		database = new HikariDataSource(config);
		List<Worker> workers = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			workers.add(new Worker(i));
		}

		TaskQueue queue = new TaskQueue(100);
		ThreadPoolExecutor tomcat = new ThreadPoolExecutor(2, 6, 1, TimeUnit.HOURS, queue,
			new TaskThreadFactory("http-nio-8080-exec-", true, Thread.NORM_PRIORITY));
		queue.setParent(tomcat);
		NioEventLoopGroup loops = new NioEventLoopGroup(3, new DefaultThreadFactory("loop", true));
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		CountDownLatch end = new CountDownLatch(0);
		System.out.println("ready");
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			if (line.startsWith("state")) {
				end.countDown();
				until(() -> database.getHikariPoolMXBean().getActiveConnections() == 0 && holding.get() == 0);
				until(() -> tomcat.getActiveCount() == 0);
				end = new CountDownLatch(1);
				int taking = CONNECTIONS + random.nextInt(5);
				Collections.shuffle(workers, random);
				List<Worker> holders = workers.subList(0, CONNECTIONS);
				for (Worker holder : holders) {
					holder.work.add(end);
				}

				until(() -> holding.get() == CONNECTIONS);
				for (Worker waiting : workers.subList(CONNECTIONS, taking)) {
					waiting.work.add(end);
				}

				until(() -> database.getHikariPoolMXBean().getThreadsAwaitingConnection() == taking - CONNECTIONS);
				int tasks = random.nextInt(12);
				for (int task = 0; task < tasks; task++) {
					tomcat.execute(waitFor(end));
				}

				until(() -> tomcat.getActiveCount() + queue.size() == tasks
					&& (queue.isEmpty() || tomcat.getActiveCount() == tomcat.getPoolSize()));
				int queued = 0;
				AtomicInteger started = new AtomicInteger();
				int busy = 1 + random.nextInt(3);
				int loop = 0;
				for (EventExecutor executor : loops) {
					int more = random.nextInt(4);
					if (loop++ < busy) {
						Runnable wait = waitFor(end);
						executor.execute(() -> {
							started.incrementAndGet();
							wait.run();
						});
						until(() -> started.get() > 0 && ((SingleThreadEventExecutor) executor).pendingTasks() == 0);
						for (int i = 0; i < more; i++) {
							executor.execute(() -> {});
						}

						queued += more;
					}
				}

				until(() -> started.get() == busy);
				for (Worker holder : holders) {
					System.out.println("holder " + holder.getName());
				}

				System.out.println("orders-db " + CONNECTIONS + " " + CONNECTIONS + " " + CONNECTIONS + " "
					+ database.getHikariPoolMXBean().getThreadsAwaitingConnection());
				System.out.println("http-nio-8080-exec " + tomcat.getPoolSize() + " 6 " + tomcat.getActiveCount() + " "
					+ queue.size());
				System.out.println("loop 3 " + busy + " " + queued);
			}

			System.out.println("done " + line);
		}
	}
}
