import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;

/**
 * Threads that spend their time in counted loops around tiny methods, which compiled code inlines: loops in which a thread does not stop for a safepoint, so that a thread dump shows it at a later place.
 * Argument "methods": six methods, called in random order. Argument "lines": six loops of one line each in one method. Each call or loop takes about as many
 * milliseconds as the second argument says, and is timed from outside by the thread's own CPU clock. On a line on standard input it prints "share NAME NANOSECONDS" for what was spent since the line before, then "done".
 */
public class CountedLoops {
	static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
	static final int THREADS = 3;
	static long phaseNs;
	static final String[] METHODS = {"arithmetic", "array", "division", "objects", "shifts", "nested"};
	static final String[] LINES = {"lineArithmetic", "lineArray", "lineDivision", "lineObjects", "lineShifts", "lineNested"};
	/** How often in a hundred each is chosen. */
	static final int[] PERCENT = {35, 25, 15, 10, 9, 6};
	static final long[][] SPENT = new long[THREADS][PERCENT.length];
	static final long[] TOTAL = new long[THREADS];
	/** Iterations that take a phase, by kind. */
	static final int[] ITERATIONS = {1, 1, 1, 1, 1, 1};
	static volatile long sink;

	static final class Cell {
		private long value;

		long get() {
			return value;
		}

		void add(long more) {
			value += more;
		}
	}

	static long mix(long x) {
		return x * 6364136223846793005L + 1442695040888963407L;
	}

	static int at(int[] numbers, int i) {
		return numbers[i & 1023];
	}

	static long turn(long x) {
		return (x << 7) ^ (x >>> 9);
	}

	static long arithmetic(int times, long x) {
		for (int i = 0; i < times; i++) {
			x = mix(x) ^ i;
		}

		return x;
	}

	static long array(int times, int[] numbers) {
		long x = 0;
		for (int i = 0; i < times; i++) {
			x = x * 31 + at(numbers, i);
		}

		return x;
	}

	static long division(int times, long x) {
		for (int i = 1; i <= times; i++) {
			x += (x ^ 0x7fff_ffff_ffffL) / (i | 1);
		}

		return x;
	}

	static long objects(int times, Cell cell) {
		for (int i = 0; i < times; i++) {
			cell.add(mix(cell.get()));
		}

		return cell.get();
	}

	static long shifts(int times, long x) {
		for (int i = 0; i < times; i++) {
			x = turn(x) + i;
		}

		return x;
	}

	static long nested(int times, long x) {
		for (int i = 0; i < times; i++) {
			for (int j = 0; j < 8; j++) {
				x = turn(mix(x)) + j;
			}
		}

		return x;
	}

	static long call(int which, int times, long x, int[] numbers, Cell cell) {
		switch (which) {
			case 0: return arithmetic(times, x);
			case 1: return array(times, numbers);
			case 2: return division(times, x);
			case 3: return objects(times, cell);
			case 4: return shifts(times, x);
			default: return nested(times, x);
		}
	}

	/** One loop a line; which of them runs comes from the caller. */
	static long lines(int which, int times, long x, int[] numbers, Cell cell) {
		switch (which) {
			case 0:
				for (int i = 0; i < times; i++) { x = mix(x) ^ i; } // lineArithmetic
				break;
			case 1:
				for (int i = 0; i < times; i++) { x = x * 31 + at(numbers, i); } // lineArray
				break;
			case 2:
				for (int i = 1; i <= times; i++) { x += (x ^ 0x7fff_ffff_ffffL) / (i | 1); } // lineDivision
				break;
			case 3:
				for (int i = 0; i < times; i++) { cell.add(mix(cell.get())); } // lineObjects
				break;
			case 4:
				for (int i = 0; i < times; i++) { x = turn(x) + i; } // lineShifts
				break;
			default:
				for (int i = 0; i < times; i++) { for (int j = 0; j < 8; j++) { x = turn(mix(x)) + j; } } // lineNested
				break;
		}

		return x;
	}

	static long once(boolean byLine, int which, int times, long x, int[] numbers, Cell cell) {
		return byLine ? lines(which, times, x, numbers, cell) : call(which, times, x, numbers, cell);
	}

	static void work(int thread, boolean byLine) {
		Random random = new Random(thread);
		int[] numbers = new int[1024];
		Cell cell = new Cell();
		long x = thread;
		for (;;) {
			int draw = random.nextInt(100);
			int which = 0;
			while (draw >= PERCENT[which]) {
				draw -= PERCENT[which++];
			}

			long start = CLOCK.getCurrentThreadCpuTime();
			x = once(byLine, which, ITERATIONS[which], x, numbers, cell);
			long end = CLOCK.getCurrentThreadCpuTime();
			SPENT[thread][which] += end - start;
			TOTAL[thread] = end;
			sink = x;
		}
	}

	/** Finds, once all is compiled, how often each loop must turn for a phase. */
	static void calibrate(boolean byLine) {
		int[] numbers = new int[1024];
		Cell cell = new Cell();
		for (int round = 0; round < 30; round++) {
			for (int which = 0; which < PERCENT.length; which++) {
				int times = round == 0 ? 2000 : ITERATIONS[which];
				long start = CLOCK.getCurrentThreadCpuTime();
				sink = once(byLine, which, times, start, numbers, cell);
				long ns = Math.max(1000, CLOCK.getCurrentThreadCpuTime() - start);
				ITERATIONS[which] = (int) Math.max(100, Math.min(1_000_000_000L, times * phaseNs / ns));
			}
		}
	}

	public static void main(String[] args) throws Exception {
		boolean byLine = args[0].equals("lines");
		phaseNs = Long.parseLong(args[1]) * 1_000_000;
		calibrate(byLine);
		for (int thread = 0; thread < THREADS; thread++) {
			int index = thread;
			Thread worker = new Thread(() -> work(index, byLine), "worker-" + index);
			worker.setDaemon(true);
			worker.start();
		}

		Thread.sleep(2000);
		System.out.println("ready");
		long[] before = new long[PERCENT.length + 1];
		while (System.in.read() == '\n') {
			long all = 0;
			for (int which = 0; which < PERCENT.length; which++) {
				long sum = 0;
				for (int thread = 0; thread < THREADS; thread++) {
					sum += SPENT[thread][which];
				}

				System.out.println("share " + (byLine ? LINES : METHODS)[which] + " " + (sum - before[which]));
				before[which] = sum;
				all += sum;
			}

			long total = 0;
			for (int thread = 0; thread < THREADS; thread++) {
				total += TOTAL[thread];
			}

			System.out.println("share between " + (total - all - before[PERCENT.length]));
			before[PERCENT.length] = total - all;
			System.out.println("done");
		}
	}
}
