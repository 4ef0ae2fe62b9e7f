import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Fills its heap to a number of MB (first argument) with small objects that stay alive, then starts threads (second
 * argument) that call five tiny methods again and again or, with a third argument, one method that calls itself to that
 * depth. The line "state" prints how many threads are alive, how many of them have gone on since the line "mark",
 * and how many turns all of them have made. The line "tasks" has each thread run tasks from now on. The line "fill"
 * fills the heap but for 16 MB, "queue N" adds N tasks to a queue that nobody works off.
 */
public class SmallHeap {
	static final ExecutorService POOL = pool(4);
	static final ExecutorService STUCK = pool(1);
	static byte[][] kept;
	static final List<byte[][]> filling = new ArrayList<>();
	static volatile Object garbage;
	static volatile boolean runsTasks;

	static final class Tight {
		static int turn(int value) {
			int sum = value;
			for (int call = 0; call < 300; call++) {
				sum += first(call) + second(call);
			}

			return sum;
		}

		static int first(int value) {
			return third(value) + 1;
		}

		static int second(int value) {
			return fourth(value) ^ 5;
		}

		static int third(int value) {
			return value * 31;
		}

		static int fourth(int value) {
			return value >>> 1;
		}

		static int deep(int depth) {
			return depth == 0 ? 0 : deep(depth - 1) + 1;
		}
	}

	static final class Worker extends Thread implements Callable<Object> {
		private final int depth;
		volatile long turns;
		long seen;

		Worker(int depth) {
			this.depth = depth;
			setDaemon(true);
		}

		@Override
		public Object call() {
			return null;
		}

		@Override
		public void run() {
			int value = 1;
			while (true) {
				value += depth == 0 ? Tight.turn(value) : Tight.deep(depth);
				garbage = new byte[value & 1023];
				turns++;
				try {
					Thread.sleep(depth == 0 ? 50 : 2000);
					if (runsTasks) {
						POOL.submit((Callable<Object>) this).get();
					}
				} catch (Exception error) {
					throw new IllegalStateException(error);
				}
			}
		}
	}

	static ExecutorService pool(int threads) {
		return Executors.newFixedThreadPool(threads, work -> {
			Thread thread = new Thread(work);
			thread.setDaemon(true);
			return thread;
		});
	}

	static void sleep() {
		try {
			Thread.sleep(Long.MAX_VALUE);
		} catch (InterruptedException error) {
			throw new IllegalStateException(error);
		}
	}

	static byte[][] fill(long bytes) {
		byte[][] objects = new byte[Math.max(0, (int) (bytes / 1020))][];
		for (int at = 0; at < objects.length; at++) {
			objects[at] = new byte[1000];
		}

		return objects;
	}

	/** Fills the heap but for 16 MB, in ever smaller steps: others may allocate meanwhile. */
	static void fillUp() {
		long room = Runtime.getRuntime().maxMemory() - used() - (16 << 20);
		while (room > 1 << 20) {
			filling.add(fill(room / 2));
			room = Runtime.getRuntime().maxMemory() - used() - (16 << 20);
		}
	}

	static long used() {
		System.gc();
		Runtime runtime = Runtime.getRuntime();
		return runtime.totalMemory() - runtime.freeMemory();
	}

	public static void main(String[] args) throws Exception {
		kept = fill((Long.parseLong(args[0]) << 20) - used());
		Worker[] workers = new Worker[Integer.parseInt(args[1])];
		for (int at = 0; at < workers.length; at++) {
			workers[at] = new Worker(args.length > 2 ? Integer.parseInt(args[2]) : 0);
			workers[at].start();
		}

		System.out.println("ready");
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			if (line.equals("fill")) {
				fillUp();
			} else if (line.startsWith("queue ")) {
				for (int task = Integer.parseInt(line.substring(6)); task > 0; task--) {
					STUCK.submit(SmallHeap::sleep);
				}
			} else if (line.equals("mark")) {
				for (Worker worker : workers) {
					worker.seen = worker.turns;
				}
			} else if (line.equals("tasks")) {
				runsTasks = true;
			} else {
				int alive = 0;
				int going = 0;
				long turns = 0;
				for (Worker worker : workers) {
					alive += worker.isAlive() ? 1 : 0;
					going += worker.turns > worker.seen ? 1 : 0;
					turns += worker.turns;
				}

				System.out.println("alive " + alive + " going " + going + " turns " + turns);
			}

			System.out.println("done " + line);
		}
	}
}
