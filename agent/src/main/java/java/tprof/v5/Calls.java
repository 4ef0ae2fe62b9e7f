package java.tprof.v5;

/** The open calls of a thread. The agent has the subclass, as of Sink. */
public abstract class Calls {
	/** A call returns or throws. `depth`: number of open calls below it. */
	public abstract void end(int depth, boolean isThrown);

	/** A constructor calls super(...) or this(...), or has returned from it. */
	public abstract void constructing(int depth, boolean isInside);
}
