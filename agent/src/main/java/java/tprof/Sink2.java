package java.tprof;

/** What woven code reports to. Its subclass is the agent's, in a class loader that goes when the session is over. */
public abstract class Sink2 {
	/** A method begins. Returns what its end is to be told; null if it does not count. */
	public abstract Call2 enter(int method);

	/** A method begins of which some calls stand for all. */
	public abstract Call2 enterSome(int method);
}
