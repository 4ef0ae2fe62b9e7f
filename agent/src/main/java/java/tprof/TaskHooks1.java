package java.tprof;

/**
 * What woven code calls where tasks move from one state to the next. Defined in the boot loader, so that classes of any loader
 * see it, and never changed: a later version has another name.
 */
public final class TaskHooks1 {
	/** Null while nobody listens. Plain, as a retransformation follows each change of it. */
	public static TaskSink1 sink;

	private TaskHooks1() {
	}

	public static void on(Object task, int point) {
		TaskSink1 to = sink;
		if (to != null) {
			to.on(task, point);
		}
	}

	public static void onTrue(boolean isTrue, Object task, int point) {
		if (isTrue) {
			on(task, point);
		}
	}

	public static void onNumber(int number, Object task, int point) {
		TaskSink1 to = sink;
		if (to != null) {
			to.onNumber(number, task, point);
		}
	}

	public static void onTrueNumber(boolean isTrue, int number, Object task, int point) {
		if (isTrue) {
			onNumber(number, task, point);
		}
	}

	public static void seen(Object holder, int point) {
		TaskSink1 to = sink;
		if (to != null) {
			to.seen(holder, point);
		}
	}
}
