package java.tprof;

/** What woven code calls where tasks move from one state to the next. In the boot loader, and never changed, as Hooks3. */
public final class TaskHooks2 {
	/** Null while nobody listens. Plain, as a retransformation follows each change of it. */
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
