package java.tprof.v5;

/** What woven code calls where tasks change their state. In the boot loader; errors are handled as in Hooks. */
public final class TaskHooks {
	/** Null without a session. Not volatile, as a retransformation follows each change. */
	public static TaskSink sink;

	public static void on(Object task, boolean counts, int number, int point) {
		TaskSink to = sink;
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
		TaskSink to = sink;
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
