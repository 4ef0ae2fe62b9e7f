import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Allocates known bytes at known methods: small, middle and large arrays. The first argument is the megabytes a second of
 * the thread "fast" (0: as fast as it can), the second those of "slow"; the third, if given, the mean number of rounds
 * between two large arrays (by default 16). At each line of its input it prints the bytes of
 * each method of both threads, and then what ThreadMXBean says of each thread, in one line.
 */
public class KnownAllocations {
	static volatile Object sink;
	static int largeEvery = 16;

	static final class Allocator extends Thread {
		final double bytesPerNs;
		volatile long small;
		volatile long middle;
		volatile long large;

		Allocator(String name, double megabytesPerS) {
			super(name);
			bytesPerNs = megabytesPerS * 1e6 / 1e9;
			setDaemon(true);
		}

		@Override
		public void run() {
			long start = System.nanoTime();
			Random random = new Random(7);
			for (;;) {
				// 640 KB, 256 KB and, now and then, 1 MB, in no step with the JVM's buffers.
				small(random.nextInt(20_000));
				middle(random.nextInt(1000));
				if (random.nextInt(largeEvery) == 0) {
					large();
				}

				while (bytesPerNs > 0 && small + middle + large > bytesPerNs * (System.nanoTime() - start)) {
					LockSupport.parkNanos(1_000_000);
				}
			}
		}

		void small(int count) {
			for (int i = 0; i < count; i++) {
				sink = new byte[48];
			}

			small += 64L * count;
		}

		void middle(int count) {
			for (int i = 0; i < count; i++) {
				sink = new int[124];
			}

			middle += 512L * count;
		}

		void large() {
			sink = new long[131_070];
			large += 1_048_576;
		}
	}

	public static void main(String[] args) throws Exception {
		if (args.length > 2) {
			largeEvery = Integer.parseInt(args[2]);
		}

		Allocator[] allocators = {
			new Allocator("fast", Double.parseDouble(args[0])), new Allocator("slow", Double.parseDouble(args[1])),
		};
		for (Allocator allocator : allocators) {
			allocator.start();
		}

		com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		System.out.println("ready");
		while (in.readLine() != null) {
			long[] told = new long[8];
			for (int i = 0; i < 2; i++) {
				Allocator allocator = allocators[i];
				told[4 * i] = allocator.small;
				told[4 * i + 1] = allocator.middle;
				told[4 * i + 2] = allocator.large;
				told[4 * i + 3] = threads.getThreadAllocatedBytes(allocator.getId());
			}

			System.out.println(Arrays.toString(told).replaceAll("[^\\d ]", ""));
		}
	}
}
