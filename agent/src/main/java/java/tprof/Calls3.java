package java.tprof;

/** The open calls of a thread. Its subclass is the agent's, as that of Sink3. */
public abstract class Calls3 {
	/** The call with so many open below it returns or throws. */
	public abstract void end(int depth, boolean isThrown);

	/** The constructor with so many calls open below it goes into super(...) or this(...), or has come back from there. */
	public abstract void constructing(int depth, boolean isInside);
}
