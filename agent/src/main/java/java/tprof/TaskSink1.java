package java.tprof;

/** What code that moves tasks reports to. Its subclass is the agent's, in a class loader that goes when the session is over. */
public abstract class TaskSink1 {
	/** A point was passed with that task; null where it is the one that the thread has in hand. */
	public abstract void on(Object task, int point);

	/** The same, where a number decides whether the point counts. */
	public abstract void onNumber(int number, Object task, int point);

	/** An object was seen that the probe reads counters of. */
	public abstract void seen(Object holder, int point);
}
