package tprof.agent;

import java.tprof.v5.TaskSink;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Follows tasks from state to state. A visit to a state is counted when it ends: for the thread that ran the task or, if none
 * did, for the thread that ended the visit. The time of an end state is that of the whole task. Calls that a thread makes in
 * our own code are not followed, which its worker knows. What hooks call before that is never woven
 * (test/tracing/agent.jvm.test.ts).
 */
final class Tasks extends TaskSink {
	private static final int UNASKED = -2;
	private static final int SAMPLE_SHIFT = 17;
	private static final int MOST_SAMPLE_MASK = (1 << 14) - 1;

	final TaskProbe probe;
	final TaskTable table;
	final TaskWorkers workers;
	final TaskKinds kinds;
	final TaskCounters counters;
	/** Numbers of tasks that became unreachable before an end state, and of events that could not be counted. */
	final AtomicLong dropped = new AtomicLong();
	final AtomicLong missed = new AtomicLong();
	/** New tasks are followed only if their hash has none of these bits: one in `sampleMask` + 1. */
	volatile int sampleMask;
	private volatile boolean isFull;
	private final TaskPoint[] points;
	private final int states;

	Tasks(TaskProbe probe, HeapBudget budget) {
		this.probe = probe;
		table = new TaskTable(probe.most, budget);
		workers = new TaskWorkers(budget);
		kinds = new TaskKinds(probe, budget);
		counters = new TaskCounters(probe, this, budget);
		points = probe.points.toArray(new TaskPoint[0]);
		states = probe.states;
	}

	@Override
	public void on(Object object, int number, int id) {
		// Our own time counts nowhere: a visit ends now, and a task runs from when we are done.
		long now = System.nanoTime();
		TaskPoint point = points[id];
		TaskWorker me = point.takes(number) ? workers.enter() : null;
		if (me != null) {
			try {
				passed(object, point, me, now);
			} finally {
				me.leave();
			}
		}
	}

	@Override
	public void seen(Object holder) {
		TaskWorker me = workers.enter();
		if (me != null) {
			try {
				counters.seen(holder);
			} finally {
				me.leave();
			}
		}
	}

	private void missed() {
		missed.incrementAndGet();
	}

	private void passed(Object object, TaskPoint point, TaskWorker me, long now) {
		if (point.source == TaskPoint.CURRENT) {
			FollowedTask followed = me.inHand();
			if (followed != null && table.lockOf(followed.hash).take()) {
				try {
					if (!followed.isOver && comes(point, followed)) {
						move(followed, point.state, me, now);
					}
				} finally {
					table.lockOf(followed.hash).free();
				}
			}

			return;
		}

		Object task = point.path == null ? object : object == null ? null : point.path.from(object, object.getClass());
		if (task != null) {
			int hash = System.identityHashCode(task);
			// The kind of a task that seems new is determined before the lock is taken.
			int kind = mayBegin(point, hash) ? kinds.of(task) : UNASKED;
			if (!passedLocked(task, hash, kind, point, me, now)) {
				passedLocked(task, hash, kinds.of(task), point, me, now);
			}
		}
	}

	/** Returns false if the task's kind must be determined first. */
	private boolean passedLocked(Object task, int hash, int kind, TaskPoint point, TaskWorker me, long now) {
		if (!table.lockOf(hash).take()) {
			missed();
			return true;
		}

		try {
			return passed(task, hash, kind, point, me, now);
		} finally {
			table.lockOf(hash).free();
		}
	}

	private boolean mayBegin(TaskPoint point, int hash) {
		FollowedTask first = table.first(hash);
		boolean isKnown = first != null && first.hash == hash && first.next == null;
		return !probe.ends[point.state] && (point.begins || !isKnown);
	}

	private boolean passed(Object task, int hash, int kind, TaskPoint point, TaskWorker me, long now) {
		FollowedTask best = null;
		boolean isKnown = false;
		boolean isMine = false;
		for (FollowedTask each = table.first(hash); each != null; each = each.next) {
			if (each.hash == hash && each.get() == task) {
				isKnown = true;
				if (comes(point, each)) {
					boolean isInHand = probe.runs[each.state] && each.worker == me;
					if (best == null || (isInHand && !isMine) || (isInHand == isMine && each.begun - best.begun < 0)) {
						best = each;
						isMine = isInHand;
					}
				}
			}
		}

		if (best != null) {
			move(best, point.state, me, now);
		} else if ((point.begins || !isKnown) && kind != TaskKinds.EXCLUDED && !probe.ends[point.state]) {
			if (kind == UNASKED) {
				return false;
			}

			begin(task, hash, kind, point.state, me, now);
		}

		return true;
	}

	private boolean comes(TaskPoint point, FollowedTask followed) {
		return followed.state != point.state && (point.from & 1 << followed.state) != 0;
	}

	private void begin(Object task, int hash, int kind, int state, TaskWorker me, long now) {
		boolean isChosen = (hash >>> SAMPLE_SHIFT & sampleMask) == 0;
		if (!isChosen || !table.take(hash)) {
			isFull |= isChosen && table.isFull();
			me.skipped++;
			return;
		}

		FollowedTask followed = new FollowedTask(task, hash, state, now);
		followed.name(kind);
		table.add(followed);
		enter(followed, state, me);
	}

	private void move(FollowedTask followed, int state, TaskWorker me, long now) {
		Object task = followed.isUnnamed ? followed.get() : null;
		if (task != null) {
			followed.name(kinds.of(task));
		}

		int before = followed.state;
		TaskWorker ran = followed.worker;
		TaskWorker who = probe.runs[before] && ran != null ? ran : me;
		count(who, followed.kind * states + before, now - followed.since);
		followed.state = state;
		followed.since = now;
		if (probe.ends[state]) {
			count(who, followed.kind * states + state, now - followed.begun);
			followed.isOver = true;
			table.remove(followed);
			followed.clear();
		} else {
			enter(followed, state, me);
		}
	}

	private void count(TaskWorker who, int at, long duration) {
		if (!workers.add(who, at, Math.max(0, duration))) {
			missed();
		}
	}

	private void enter(FollowedTask followed, int state, TaskWorker me) {
		if (probe.runs[state]) {
			followed.worker = me;
			if (probe.hasCurrent) {
				me.take(followed, workers.budget);
			}

			followed.since = System.nanoTime();
		}
	}

	/** Drops unreachable tasks, and adapts how many new ones are followed to the room. */
	void sweep() {
		workers.sweep();
		table.visit(new TaskTable.Visitor() {
			@Override
			public void visit(FollowedTask followed) {
				if (followed.get() == null) {
					followed.isOver = true;
					table.remove(followed);
					dropped.incrementAndGet();
				}
			}
		});
		int mask = sampleMask;
		if (isFull) {
			isFull = false;
			sampleMask = Math.min(MOST_SAMPLE_MASK, mask << 1 | 1);
		} else if (mask > 0 && table.size() < table.most / 8) {
			sampleMask = mask >> 1;
		}
	}
}
