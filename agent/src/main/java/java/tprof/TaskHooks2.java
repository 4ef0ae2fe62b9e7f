package java.tprof;

/** What woven code calls where tasks change their state. In the boot loader, as Hooks4. */
public final class TaskHooks2 {
	/** Null without a session. Not volatile, as a retransformation follows each change. */
	public static TaskSink2 sink;

	public static void on(Object task, boolean counts, int number, int point) {
		TaskSink2 to = sink;
		if (counts && to != null) {
			to.on(task, number, point);
		}
	}

	public static void seen(Object holder) {
		TaskSink2 to = sink;
		if (to != null) {
			to.seen(holder);
		}
	}
}
