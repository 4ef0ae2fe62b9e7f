package java.tprof;

/** The open calls of a thread. Its subclass is the agent's, as that of Sink2. */
public abstract class Calls2 {
	/** The call with so many open below it returns. */
	public abstract void exit(int depth);

	/** The call with so many open below it throws. */
	public abstract void thrown(int depth);

	/** The constructor with so many calls open below it goes into super(...) or this(...), of which nobody is told if it throws. */
	public abstract void constructing(int depth);

	/** It has come back from there. */
	public abstract void constructed(int depth);
}
