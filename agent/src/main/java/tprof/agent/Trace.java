package tprof.agent;

/** A trace that is kept whole: from the start of its head to that call's end. */
final class Trace {
	static final int START = 0;
	static final int END = 1;
	static final int EXCEPTION = 2;
	static final int KIND_BITS = 2;

	/** Method and kind of each action, and its time (System.nanoTime()). */
	int[] actions;
	long[] times;
	int count;
	/** Actions for which there was no room. */
	int left;
	/** -1: nothing is kept here. */
	long duration = -1;
	long number;
	String thread = "";

	Trace(int capacity) {
		actions = new int[capacity];
		times = new long[capacity];
	}
}
