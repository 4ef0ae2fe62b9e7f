package java.tprof.v5;

/** Receives the calls of woven code. The agent has the subclass, in a loader that is dropped after the session. */
public abstract class Sink {
	/** Number of calls that were lost to an error of ours; two threads at the same time may count once. */
	public volatile long failed;
	/** A hook had an OutOfMemoryError: the session must end. */
	public volatile boolean isOutOfMemory;

	/**
	 * A method is called. `isSome`: it is thinned, see Thinning. Returns what its end must pass on; null if the call does
	 * not count.
	 */
	public abstract Call enter(int method, boolean isSome);
}
