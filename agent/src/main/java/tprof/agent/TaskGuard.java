package tprof.agent;

import java.tprof.TaskSink1;

/**
 * What hooks of tasks call. What a thread calls while it is in our own code is not followed: its worker says so. Whatever the
 * hooks reach until then is never woven (test/tracing/reach.test.ts).
 */
final class TaskGuard extends TaskSink1 {
	private final Tasks tasks;

	TaskGuard(Tasks tasks) {
		this.tasks = tasks;
	}

	@Override
	public void on(Object task, int point) {
		// What we do ourselves is nobody's time: a stay ends here, and a task runs from when we are done.
		long now = System.nanoTime();
		TaskWorker me = enter();
		if (me != null) {
			try {
				tasks.on(task, point, me, now);
			} finally {
				leave(me);
			}
		}
	}

	@Override
	public void onNumber(int number, Object task, int point) {
		if (tasks.takes(number, point)) {
			on(task, point);
		}
	}

	@Override
	public void seen(Object holder, int point) {
		TaskWorker me = enter();
		if (me != null) {
			try {
				tasks.counters.seen(holder);
			} finally {
				leave(me);
			}
		}
	}

	/** Until `leave` gets what this returns, nothing that the calling thread does is followed. Null: it is not anyway. */
	TaskWorker enter() {
		TaskWorker me = tasks.workers.mine();
		return me.enter() ? me : null;
	}

	void leave(TaskWorker me) {
		me.leave();
	}
}
