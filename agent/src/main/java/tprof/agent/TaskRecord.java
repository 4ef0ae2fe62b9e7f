package tprof.agent;

import java.lang.ref.WeakReference;

/** A task that is followed: the only object that we make for it, and it does not keep it. Changed under its stripe's lock. */
final class TaskRecord extends WeakReference<Object> {
	final int hash;
	int kind;
	/** What it runs was not there yet when it was named. */
	boolean isUnnamed;
	/** System.nanoTime() when it was first seen. */
	final long begun;
	TaskRecord next;
	int state;
	long since;
	/** Who runs it, or ran it last. */
	TaskWorker worker;
	boolean isOver;

	TaskRecord(Object task, int hash, int state, long now) {
		super(task);
		this.hash = hash;
		this.state = state;
		begun = now;
		since = now;
	}

	/** What TaskKinds says; one that is not followed has been until now. */
	void name(int newKind) {
		if (newKind != TaskKinds.EXCLUDED) {
			kind = newKind & ~TaskKinds.UNNAMED;
			isUnnamed = (newKind & TaskKinds.UNNAMED) != 0;
		}
	}
}
