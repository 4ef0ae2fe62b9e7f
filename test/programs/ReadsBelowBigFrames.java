import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
Thread "worker" spends some 90 % of its CPU time in reads of up to 8 KB, for which the JDK's native code keeps a buffer of
that size in its frame and fills the least part of it, and the rest in compute(); between them it calls descend(), which
leaves return addresses of Java code where that buffer will be. On a line on standard input it prints "cpu READS COMPUTE" in nanoseconds, then "done".
*/
public class ReadsBelowBigFrames {
	static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
	static final long READS_NS = 1_800_000;
	static final long COMPUTE_NS = 200_000;
	static volatile long readsNs;
	static volatile long computeNs;
	static volatile long sink;

	static void reads(RandomAccessFile in, byte[] bytes) throws Exception {
		long start = CLOCK.getCurrentThreadCpuTime();
		while (CLOCK.getCurrentThreadCpuTime() - start < READS_NS) {
			for (int i = 0; i < 10; i++) {
				in.seek(0);
				in.read(bytes);
			}
		}
		readsNs += CLOCK.getCurrentThreadCpuTime() - start;
	}

	static void compute() {
		long start = CLOCK.getCurrentThreadCpuTime();
		long x = sink;
		do {
			for (int i = 0; i < 5_000; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		} while (CLOCK.getCurrentThreadCpuTime() - start < COMPUTE_NS);
		sink = x;
		computeNs += CLOCK.getCurrentThreadCpuTime() - start;
	}

	static int descend(int depth) {
		return depth == 0 ? (int) sink : descend(depth - 1) + 1;
	}

	public static void main(String[] args) throws Exception {
		Thread worker = new Thread(() -> {
			byte[] bytes = new byte[8192];
			try (RandomAccessFile in = new RandomAccessFile("/proc/self/stat", "r")) {
				while (true) {
					descend(200);
					reads(in, bytes);
					compute();
				}
			} catch (Exception e) {
				throw new IllegalStateException(e);
			}
		}, "worker");
		worker.setDaemon(true);
		worker.start();
		Thread.sleep(1000);
		System.out.println("ready");
		while (System.in.read() >= 0) {
			System.out.println("cpu " + readsNs + " " + computeNs);
			System.out.println("done");
		}
	}
}
