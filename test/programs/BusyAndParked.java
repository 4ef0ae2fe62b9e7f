import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;

/**
 * THREADS threads (first argument) with stacks of DEPTH frames (second): the first BUSY (third) of them work without end, the others stay parked. Fourth, optional: "virtual": the parked ones are virtual threads; "native": the busy ones compress bytes. On a line on standard input it prints
 * "work UNITS cpu NANOSECONDS" of the busy ones since their start, then "done". A unit is some microseconds of work.
 */
public class BusyAndParked {
	static final int UNIT = 2000;
	/** Counters of two threads share no cache line. */
	static final int SPREAD = 16;
	static long[] units;
	static String kind;
	static volatile long sink;

	static void even(int left, int thread, boolean busy) {
		if (left > 0) {
			odd(left - 1, thread, busy);
		} else {
			leaf(thread, busy);
		}
	}

	static void odd(int left, int thread, boolean busy) {
		if (left > 0) {
			even(left - 1, thread, busy);
		} else {
			leaf(thread, busy);
		}
	}

	static void leaf(int thread, boolean busy) {
		Deflater deflater = busy && kind.equals("native") ? new Deflater() : null;
		for (long x = thread;;) {
			if (busy) {
				x = deflater == null ? unit(x) : compress(deflater);
				units[thread * SPREAD]++;
				sink = x;
			} else {
				LockSupport.park();
			}
		}
	}

	static long unit(long x) {
		for (int i = 0; i < UNIT; i++) {
			x = x * 6364136223846793005L + 1442695040888963407L;
		}

		return x;
	}

	static long compress(Deflater deflater) {
		deflater.reset();
		deflater.setInput(new byte[UNIT]);
		deflater.finish();
		return deflater.deflate(new byte[UNIT]);
	}

	public static void main(String[] args) throws Exception {
		int threads = Integer.parseInt(args[0]);
		int depth = Integer.parseInt(args[1]);
		int busy = Integer.parseInt(args[2]);
		kind = args.length > 3 ? args[3] : "";
		units = new long[threads * SPREAD];
		Thread[] all = new Thread[threads];
		for (int i = 0; i < threads; i++) {
			int index = i;
			// run, the lambda and leaf are frames too.
			Runnable work = () -> even(depth - 4, index, index < busy);
			if (index >= busy && kind.equals("virtual")) {
				// By reflection: the program also runs on JDKs without virtual threads.
				Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
				continue;
			}

			all[i] = new Thread(work, (index < busy ? "busy-" : "parked-") + index);
			all[i].setDaemon(true);
			all[i].start();
		}

		Thread.sleep(1500);
		System.out.println("ready");
		ThreadMXBean clock = ManagementFactory.getThreadMXBean();
		while (System.in.read() == '\n') {
			long work = 0;
			long cpu = 0;
			for (int i = 0; i < busy; i++) {
				work += units[i * SPREAD];
				cpu += clock.getThreadCpuTime(all[i].getId());
			}

			System.out.println("work " + work + " cpu " + cpu);
			System.out.println("done");
		}
	}
}
