package tprof.agent;

import java.util.*;

/** Workers by thread. All virtual threads share a few workers. */
final class TaskWorkers {
	private static final int MOST = 1024;
	private static final int VIRTUAL = 8;

	final HeapBudget budget;
	private final TaskWorker others = new TaskWorker(null, "(other threads)");
	private final TaskWorker ended = new TaskWorker(null, "(ended threads)");
	private final TaskWorker[] virtual = new TaskWorker[VIRTUAL];
	private final SpinLock lock = new SpinLock();
	private final Slots<TaskWorker> slots = new Slots<TaskWorker>();
	private int count;

	TaskWorkers(HeapBudget budget) {
		this.budget = budget;
		for (int index = 0; index < VIRTUAL; index++) {
			virtual[index] = new TaskWorker(null, "(virtual threads)");
		}
	}

	/** Excludes the calling thread, one of the agent's. */
	void mute() {
		TaskWorker mine = mine();
		mine.isMuted = mine.enter();
	}

	/** Excludes the calling thread until the result's `leave`; returns null if it is excluded already. */
	TaskWorker enter() {
		TaskWorker mine = mine();
		return mine.enter() ? mine : null;
	}

	private TaskWorker mine() {
		Thread thread = Thread.currentThread();
		int id = Threads.id(thread);
		if (Threads.isVirtual(thread)) {
			return virtual[id & (VIRTUAL - 1)];
		}

		TaskWorker worker = slots.find(thread, id);
		return worker == null ? add(thread) : worker;
	}

	/** Counts a visit for a worker or, if that has no room for it, for other threads; returns false if they have none. */
	boolean add(TaskWorker to, int at, long duration) {
		TaskWorker heir = to.heir;
		return (heir == null ? to : heir).add(at, duration, budget) || others.add(at, duration, budget);
	}

	private TaskWorker add(Thread thread) {
		// Without the lock first: many threads may ask again and again.
		if (count == MOST || budget.left() < TaskWorker.BYTES || !lock.take()) {
			return others;
		}

		try {
			if (count == MOST || !budget.take(TaskWorker.BYTES)) {
				return others;
			}

			TaskWorker worker = new TaskWorker(thread, "");
			slots.add(worker);
			count++;
			return worker;
		} finally {
			lock.free();
		}
	}

	/** Moves the counters of ended threads to one worker. */
	void sweep() {
		for (TaskWorker worker : threads()) {
			if (!worker.owner.isAlive() && worker.bequeath(ended, budget) && lock.take()) {
				count--;
				lock.free();
			}
		}
	}

	/** Returns the workers that are single threads, without the agent's. */
	List<TaskWorker> threads() {
		List<TaskWorker> threads = new ArrayList<TaskWorker>();
		if (lock.take()) {
			try {
				slots.list(threads);
			} finally {
				lock.free();
			}
		}

		for (Iterator<TaskWorker> each = threads.iterator(); each.hasNext();) {
			if (each.next().isMuted) {
				each.remove();
			}
		}

		return threads;
	}

	/** Returns all workers, those of several threads last. */
	List<TaskWorker> all() {
		List<TaskWorker> all = threads();
		all.addAll(Arrays.asList(virtual));
		all.add(ended);
		all.add(others);
		return all;
	}
}
