package java.tprof.v5;

/** Receives the calls of TaskHooks. The agent has the subclass, as of Sink. */
public abstract class TaskSink {
	/** Number of events that were lost to an error of ours; two threads at the same time may count once. */
	public volatile long failed;
	/** A hook had an OutOfMemoryError: the session must end. */
	public volatile boolean isOutOfMemory;

	/** A thread passed a point with this task (null: the thread's current one) and this value of the point's parameter. */
	public abstract void on(Object task, int number, int point);

	/** A thread passed a point with an object whose counters the probe reads. */
	public abstract void seen(Object holder);
}
