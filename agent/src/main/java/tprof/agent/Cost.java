package tprof.agent;

import java.tprof.v5.Hooks;
import java.util.Arrays;

/**
 * The cost of a traced call in this JVM, including the clock: measured with calls of our own, in a recorder of their own.
 */
final class Cost {
	private static final int CHUNK = 100;
	private static final int CHUNKS = 9;
	/** After this many chunks the JVM has compiled the measured code as it does hot code. */
	private static final int WARM_CHUNKS = 1000;
	private static final long FIRST_NANOS = 20_000_000;
	private static final long LATER_NANOS = 1_000_000;
	/** Id of no method: such a call ends after the look-up. */
	private static final int NO_METHOD = Integer.MAX_VALUE;
	/** For this thread's ThreadCalls and the two methods of these calls. */
	private static final int BYTES = 64 * 1024;
	private static final int ALL = 0;
	private static final int SOME = 1;

	private final Recorder recorder = new Recorder(new HeapBudget(BYTES), 0);
	private int warmed;
	/** Nanoseconds of a traced call, and of a call of a thinned method. */
	double call;
	double thinned;

	Cost() {
		recorder.methods.of("", "all", "", SOME + 1).isHead = true;
		recorder.methods.of("", "some", "", SOME + 1).isHead = true;
		warmAgain();
		measure();
	}

	/** To be called after the first weaving too, at which JVMs up to 21 discard compiled code. */
	void warmAgain() {
		warmed = 0;
		warm(FIRST_NANOS);
	}

	void measure() {
		warm(LATER_NANOS);
		call = median(ALL);
		thinned = median(SOME);
	}

	private void warm(long most) {
		long end = System.nanoTime() + most;
		for (; warmed < WARM_CHUNKS && System.nanoTime() - end < 0; warmed++) {
			chunk(ALL);
			chunk(SOME);
			for (int index = 0; index < CHUNK; index++) {
				Hooks.enter(NO_METHOD, false);
			}
		}
	}

	private double median(int which) {
		long[] took = new long[CHUNKS];
		for (int index = 0; index < CHUNKS; index++) {
			took[index] = chunk(which);
		}

		Arrays.sort(took);
		return (double) took[CHUNKS / 2] / CHUNK;
	}

	private long chunk(int which) {
		long start = System.nanoTime();
		for (int index = 0; index < CHUNK; index++) {
			Hooks.end(recorder.enter(which, which == SOME), false);
		}

		return System.nanoTime() - start;
	}
}
