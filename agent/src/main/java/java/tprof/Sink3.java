package java.tprof;

/** What woven code reports to. Its subclass is the agent's, in a class loader that goes when the session is over. */
public abstract class Sink3 {
	/** A method begins, of which some calls stand for all or each counts. Returns what its end is to be told; null: it does not count. */
	public abstract Call3 enter(int method, boolean isSome);
}
