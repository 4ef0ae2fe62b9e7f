package java.tprof;

/** What code that moves tasks reports to. Its subclass is the agent's, in a class loader that goes when the session is over. */
public abstract class TaskSink2 {
	/** A point was passed with that task (null: the one that the thread has in hand), if the number is one of those that count. */
	public abstract void on(Object task, int number, int point);

	/** An object was seen that the probe reads counters of. */
	public abstract void seen(Object holder);
}
