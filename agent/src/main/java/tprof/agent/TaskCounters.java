package tprof.agent;

import java.util.*;

/** Reads the program's own counters on a thread of its own, as a method of the program may hang. */
final class TaskCounters implements Runnable {
	private static final int MOST_HOLDERS = 64;
	private static final int MOST_READINGS = 2000;
	/** With its text, now and in the next list. */
	private static final int BYTES_OF_READING = 300;

	/** `root`: where the path begins (static, worker or instance). */
	static final class Counter {
		final String root;
		final String className;
		final FieldPath path;

		Counter(String root, String className, String path) {
			this.root = root;
			this.className = className;
			this.path = new FieldPath(path);
		}

		boolean isOfHolder() {
			return root.equals("instance");
		}
	}

	static final class Reading {
		final int counter;
		final String of;
		final long value;

		Reading(int counter, String of, long value) {
			this.counter = counter;
			this.of = of;
			this.value = value;
		}
	}

	private final TaskProbe probe;
	private final Tasks tasks;
	private final HeapBudget budget;
	private int mostReadings;
	private final SpinLock lock = new SpinLock();
	private final Slots<Slots.Weak<Object>> holders = new Slots<Slots.Weak<Object>>();
	volatile List<Reading> readings = new ArrayList<Reading>();
	/** Classes with static fields or methods to read. */
	private volatile Class<?>[] classes = new Class<?>[0];
	private volatile boolean isOver;
	private Thread thread;

	TaskCounters(TaskProbe probe, Tasks tasks, HeapBudget budget) {
		this.probe = probe;
		this.tasks = tasks;
		this.budget = budget;
	}

	void begin(Class<?>[] loaded) {
		if (probe.counters.isEmpty()) {
			return;
		}

		mostReadings = budget.part(MOST_READINGS * BYTES_OF_READING).left() / BYTES_OF_READING;
		List<Class<?>> found = new ArrayList<Class<?>>();
		for (Class<?> each : loaded) {
			for (Counter counter : probe.counters) {
				if (counter.root.equals("static") && counter.className.equals(each.getName())) {
					found.add(each);
				}
			}
		}

		classes = found.toArray(new Class<?>[0]);
		thread = new Thread(this, "tprof-top counters");
		thread.setDaemon(true);
		thread.setContextClassLoader(null);
		thread.start();
	}

	void end() {
		isOver = true;
		if (thread != null) {
			thread.interrupt();
		}
	}

	@Override
	public void run() {
		tasks.workers.mute();
		try {
			readAll();
		} catch (Throwable error) {
			budget.fail();
		}
	}

	private void readAll() {
		while (!isOver) {
			List<Reading> next = new ArrayList<Reading>();
			for (int index = 0; index < probe.counters.size(); index++) {
				read(index, probe.counters.get(index), next);
			}

			readings = next;
			try {
				Thread.sleep(probe.periodMs);
			} catch (InterruptedException ends) {
				// `isOver` says whether to end.
			}
		}
	}

	private void read(int index, Counter counter, List<Reading> to) {
		if (counter.root.equals("static")) {
			for (Class<?> type : classes) {
				if (type.getName().equals(counter.className)) {
					add(index, "", counter.path.from(null, type), to);
				}
			}
		} else if (counter.root.equals("worker")) {
			for (TaskWorker worker : tasks.workers.threads()) {
				Thread owner = worker.owner;
				if (owner != null && isA(owner.getClass(), counter.className)) {
					add(index, owner.getName(), counter.path.from(owner, owner.getClass()), to);
				}
			}
		} else {
			List<Slots.Weak<Object>> all = new ArrayList<Slots.Weak<Object>>();
			holders.list(all);
			for (Slots.Weak<Object> each : all) {
				Object holder = each.get();
				if (holder != null && isA(holder.getClass(), counter.className)) {
					add(index, TaskKinds.simple(holder.getClass()) + "@" + Integer.toHexString(System.identityHashCode(holder)), counter.path.from(holder, holder.getClass()), to);
				}
			}
		}
	}

	private void add(int index, String of, Object value, List<Reading> to) {
		probe.counters.get(index).path.expectNumber(value);
		if (value instanceof Number && to.size() < mostReadings) {
			to.add(new Reading(index, of, ((Number) value).longValue()));
		}
	}

	private static boolean isA(Class<?> type, String name) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (each.getName().equals(name)) {
				return true;
			}
		}

		return false;
	}

	/** Remembers an object to read; called on threads of the application. */
	void seen(Object holder) {
		int hash = System.identityHashCode(holder);
		if (holders.find(holder, hash) == null && holders.live() < MOST_HOLDERS && lock.take()) {
			try {
				if (holders.find(holder, hash) == null) {
					holders.add(new Slots.Weak<Object>(holder));
				}
			} finally {
				lock.free();
			}
		}
	}
}
