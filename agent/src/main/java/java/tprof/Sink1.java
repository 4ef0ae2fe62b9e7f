package java.tprof;

/** What woven code reports to. Its subclass is the agent's, in a class loader that goes when the session is over. */
public abstract class Sink1 {
	/** A method begins. Returns what its end is to be told: how many calls are open below it, or -1 if it does not count. */
	public abstract int enter(int method);

	/** The call with so many open below it returns. */
	public abstract void exit(int depth);

	/** The call with so many open below it throws. */
	public abstract void thrown(int depth);
}
