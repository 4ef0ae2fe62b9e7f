package tprof.agent;

/** A trace that is kept whole, from the start to the end of its outermost call. Sorts the slowest first. */
final class Trace implements Comparable<Trace> {
	static final int START = 0;
	static final int END = 1;
	static final int EXCEPTION = 2;
	static final int KIND_BITS = 2;

	/** Method and kind of each action, and its time (System.nanoTime()). */
	final int[] actions;
	final long[] times;
	/** Number of actions dropped for want of room. */
	final int left;
	final long duration;
	final long key;
	final String thread;

	Trace(int[] actions, long[] times, int left, long duration, long key, String thread) {
		this.actions = actions;
		this.times = times;
		this.left = left;
		this.duration = duration;
		this.key = key;
		this.thread = thread;
	}

	@Override
	public int compareTo(Trace other) {
		return Long.compare(other.duration, duration);
	}
}
