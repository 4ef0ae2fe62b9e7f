package java.tprof;

/** Receives the calls of woven code. The agent has the subclass, in a class loader that is dropped after the session. */
public abstract class Sink3 {
	/** A method is called. `isSome`: it is thinned, see Thinning. Returns what its end must pass on; null if the call does not count. */
	public abstract Call3 enter(int method, boolean isSome);
}
