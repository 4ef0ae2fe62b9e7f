package java.tprof;

/** The open calls of a thread. Its subclass is the agent's, as that of Sink1. */
public abstract class Calls1 {
	/** The call with so many open below it returns. */
	public abstract void exit(int depth);

	/** The call with so many open below it throws. */
	public abstract void thrown(int depth);
}
