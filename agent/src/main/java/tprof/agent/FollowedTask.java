package tprof.agent;

import java.lang.ref.WeakReference;

/** A followed task: the only object allocated for it, which does not keep it alive. Guarded by its stripe's lock. */
final class FollowedTask extends WeakReference<Object> {
	static final int BYTES = 104;

	final int hash;
	int kind;
	/** Its kind is not final: what it runs was still null. */
	boolean isUnnamed;
	/** System.nanoTime() when it was first seen. */
	final long begun;
	FollowedTask next;
	int state;
	long since;
	/** The worker that runs it, or ran it last. */
	TaskWorker worker;
	boolean isOver;

	FollowedTask(Object task, int hash, int state, long now) {
		super(task);
		this.hash = hash;
		this.state = state;
		begun = now;
		since = now;
	}

	/** Sets the kind, as returned by TaskKinds. EXCLUDED is ignored: the task is followed already. */
	void name(int newKind) {
		if (newKind != TaskKinds.EXCLUDED) {
			kind = newKind & ~TaskKinds.UNNAMED;
			isUnnamed = (newKind & TaskKinds.UNNAMED) != 0;
		}
	}
}
