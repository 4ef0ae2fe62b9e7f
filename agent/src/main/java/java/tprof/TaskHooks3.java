package java.tprof;

/** What woven code calls where tasks change their state. In the boot loader; errors are handled as in Hooks4. */
public final class TaskHooks3 {
	/** Null without a session. Not volatile, as a retransformation follows each change. */
	public static TaskSink3 sink;

	public static void on(Object task, boolean counts, int number, int point) {
		TaskSink3 to = sink;
		if (counts && to != null) {
			try {
				to.on(task, number, point);
			} catch (OutOfMemoryError full) {
				sink = null;
				to.isOutOfMemory = true;
			} catch (StackOverflowError | RuntimeException | LinkageError error) {
				to.failed++;
			}
		}
	}

	public static void seen(Object holder) {
		TaskSink3 to = sink;
		if (to != null) {
			try {
				to.seen(holder);
			} catch (OutOfMemoryError full) {
				sink = null;
				to.isOutOfMemory = true;
			} catch (StackOverflowError | RuntimeException | LinkageError error) {
				to.failed++;
			}
		}
	}
}
