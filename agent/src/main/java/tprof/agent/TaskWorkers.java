package tprof.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The workers by their threads. Virtual threads have a few together: a worker is what runs tasks for long. */
final class TaskWorkers {
	private static final int MOST = 1024;
	private static final int FIRST_SLOTS = 256;
	private static final int FIRST_LIVE = 64;
	private static final int VIRTUAL = 8;

	final TaskBudget budget = new TaskBudget(8000);
	private final TaskWorker others = new TaskWorker(null, "(other threads)");
	private final TaskWorker ended = new TaskWorker(null, "(ended threads)");
	private final TaskWorker[] virtual = new TaskWorker[VIRTUAL];
	private final TaskWorker gone = new TaskWorker(null, "");
	private final SpinLock lock = new SpinLock(1);
	/** Open addressing by identity. */
	private volatile TaskWorker[] slots = new TaskWorker[FIRST_SLOTS];
	private int used;
	/** Those of our own threads first, which are always inside; only arrays, as nothing of the JDK is called before a thread is inside. */
	private TaskWorker[] live = new TaskWorker[FIRST_LIVE];
	private int count;
	private int muted;

	TaskWorkers() {
		for (int index = 0; index < VIRTUAL; index++) {
			virtual[index] = new TaskWorker(null, "(virtual threads)");
		}
	}

	/** What the calling thread does from now on is never followed. */
	void mute() {
		TaskWorker mine = mine();
		if (mine.enter() && lock.take(0)) {
			for (int index = muted; index < count; index++) {
				if (live[index] == mine) {
					live[index] = live[muted];
					live[muted++] = mine;
				}
			}

			lock.free(0);
		}
	}

	TaskWorker mine() {
		Thread thread = Thread.currentThread();
		int hash = System.identityHashCode(thread);
		if (VirtualThreads.has(thread)) {
			return virtual[hash & (VIRTUAL - 1)];
		}

		TaskWorker[] in = slots;
		int mask = in.length - 1;
		for (int at = hash & mask;; at = (at + 1) & mask) {
			TaskWorker worker = in[at];
			if (worker == null) {
				return add(thread);
			}

			if (worker.owner == thread) {
				return worker;
			}
		}
	}

	/** Counts for the worker, or for whoever counts for it. */
	void add(TaskWorker to, int at, long duration) {
		TaskWorker heir = to.heir;
		if (!(heir == null ? to : heir).add(at, duration, budget)) {
			others.add(at, duration, budget);
		}
	}

	private TaskWorker add(Thread thread) {
		if (!lock.take(0)) {
			return others;
		}

		try {
			if (count == MOST) {
				return others;
			}

			TaskWorker worker = new TaskWorker(thread, "");
			if (count == live.length) {
				TaskWorker[] longer = new TaskWorker[count * 2];
				System.arraycopy(live, 0, longer, 0, count);
				live = longer;
			}

			live[count++] = worker;
			if (++used * 2 > slots.length) {
				rebuild();
			} else {
				enter(slots, worker);
			}

			return worker;
		} finally {
			lock.free(0);
		}
	}

	private static void enter(TaskWorker[] to, TaskWorker worker) {
		int mask = to.length - 1;
		int at = System.identityHashCode(worker.owner) & mask;
		while (to[at] != null) {
			at = (at + 1) & mask;
		}

		to[at] = worker;
	}

	private void rebuild() {
		used = count;
		int length = slots.length;
		while (used * 4 > length) {
			length *= 2;
		}

		TaskWorker[] to = new TaskWorker[length];
		for (int index = 0; index < count; index++) {
			enter(to, live[index]);
		}

		slots = to;
	}

	/** Takes in what threads that have ended counted. */
	void sweep() {
		for (TaskWorker worker : threads()) {
			Thread owner = worker.owner;
			if (!owner.isAlive()) {
				remove(worker, owner);
				worker.bequeath(ended, budget);
			}
		}
	}

	private void remove(TaskWorker worker, Thread owner) {
		if (!lock.take(0)) {
			return;
		}

		try {
			for (int index = muted; index < count; index++) {
				if (live[index] == worker) {
					live[index] = live[--count];
					live[count] = null;
				}
			}

			TaskWorker[] in = slots;
			for (int at = System.identityHashCode(owner) & (in.length - 1); in[at] != null; at = (at + 1) & (in.length - 1)) {
				if (in[at] == worker) {
					in[at] = gone;
					break;
				}
			}
		} finally {
			lock.free(0);
		}
	}

	/** Those that are threads. */
	List<TaskWorker> threads() {
		if (!lock.take(0)) {
			return new ArrayList<TaskWorker>();
		}

		try {
			return new ArrayList<TaskWorker>(Arrays.asList(live).subList(muted, count));
		} finally {
			lock.free(0);
		}
	}

	/** All, those that stand for several threads last. */
	List<TaskWorker> all() {
		List<TaskWorker> all = threads();
		for (TaskWorker each : virtual) {
			all.add(each);
		}

		all.add(ended);
		all.add(others);
		return all;
	}
}
