package tprof.agent;

import java.tprof.Call2;
import java.tprof.Sink2;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the record of the thread that calls. Whatever the hooks reach from here on, but for Constructors, is a class that is
 * never woven (test/tracing/reach.test.ts); and what a thread calls while it is in our own code is not followed: its record
 * says so, or, while it has none, that it holds our lock.
 */
final class Recorder extends Sink2 {
	private static final int MOST_RECORDS = 4096;
	private static final int FIRST_RECORDS = 16;
	private static final int FIRST_SLOTS = 256;

	final Budget budget;
	final int mostDepth;
	final int keep;
	volatile long leastDuration;
	/** Whether a trace may begin with the method of an id. */
	volatile boolean[] heads = new boolean[0];
	private volatile Methods.Woven[] methods = new Methods.Woven[0];
	/** Calls for which there was no record. */
	volatile long lost;

	/** Calls to come, of threads without a record, until one is followed that stands for the others. */
	private int strangers;
	/** Records by their owners: open addressing by their ids. Only a thread itself enters its record, under the lock. */
	private volatile ThreadRecord[] slots = new ThreadRecord[FIRST_SLOTS];
	private final ThreadRecord gone;
	/** Of our own thread, which is always inside; null: it counts. */
	private ThreadRecord muted;
	/** No monitor: the JVM may never wake a virtual thread that waits for one (JDK-8373120, JDK 24 to 25.0.3). */
	private final SpinLock lock = new SpinLock(1);
	/** Who has the lock. */
	private volatile Thread holder;
	private int used;
	private ThreadRecord[] records = new ThreadRecord[FIRST_RECORDS];
	private int count;
	/** The first of those of nobody now: what virtual threads counted stays together, as that of others does not. */
	private ThreadRecord free;
	private ThreadRecord freeVirtual;
	/** Of the newest thread. */
	private int number = ThreadCalls.FIRST - 1;

	Recorder(Budget budget, int mostDepth, int keep) {
		this.budget = budget;
		this.mostDepth = mostDepth;
		this.keep = keep;
		gone = new ThreadRecord(this, -1, false);
		// Loaded now, not by a thread of the application.
		Constructors.open(new String[0]);
	}

	/** Calls of the calling thread never count. */
	void mute() {
		muted = new ThreadRecord(this, -1, false);
		muted.owner = Thread.currentThread();
		muted.isInside = true;
		if (take(muted.owner)) {
			used++;
			enter(slots, muted);
			free();
		}
	}

	/** Calls of the calling thread do not count until `release` gets what this returns. Null: they do not anyway, or there is no room. */
	ThreadRecord hold() {
		Thread thread = Thread.currentThread();
		ThreadRecord record = find(thread);
		boolean isNew = record == null;
		if (isNew) {
			record = add(thread);
		}

		if (record == null || record.isInside) {
			return null;
		}

		record.isInside = true;
		record.isTemporary = isNew;
		return record;
	}

	void release(ThreadRecord record) {
		if (record != null) {
			record.isInside = false;
			if (record.isTemporary) {
				record.isTemporary = false;
				remove(record);
			}
		}
	}

	@Override
	public Call2 enter(int method) {
		Thread thread = Thread.currentThread();
		ThreadRecord record = find(thread);
		if (record == null) {
			return first(thread, method, 1);
		}

		return record.isIdle() && !mayBegin(method) ? null : record.enter(method, 1);
	}

	@Override
	public Call2 enterSome(int method) {
		Thread thread = Thread.currentThread();
		ThreadRecord record = find(thread);
		if (record == null) {
			// Not exact between threads, but neither is what the calls stand for.
			if (!mayBegin(method) || --strangers > 0) {
				return null;
			}

			strangers = Turns.EVERY;
			return first(thread, method, Turns.EVERY);
		}

		return record.isIdle() && !mayBegin(method) ? null : record.enterSome(method);
	}

	/** The first call of a thread that has no record yet. */
	private Call2 first(Thread thread, int method, int weight) {
		// Who holds the lock is about to get a record, or to lose it.
		if (!mayBegin(method) || holder == thread) {
			return null;
		}

		ThreadRecord record = add(thread);
		if (record == null) {
			// Two threads at once may count as one.
			lost++;
			return null;
		}

		return record.enter(method, weight);
	}

	/** False: the lock is broken. */
	private boolean take(Thread thread) {
		if (!lock.take(0)) {
			return false;
		}

		holder = thread;
		return true;
	}

	private void free() {
		holder = null;
		lock.free(0);
	}

	boolean mayBegin(int method) {
		boolean[] may = heads;
		return method < may.length && may[method];
	}

	private ThreadRecord find(Thread thread) {
		ThreadRecord[] in = slots;
		int mask = in.length - 1;
		for (int at = ThreadIds.of(thread) & mask;; at = (at + 1) & mask) {
			ThreadRecord record = in[at];
			if (record == null) {
				return null;
			}

			if (record.owner == thread) {
				return record;
			}
		}
	}

	/** A record for the thread; null: there is no room. */
	private ThreadRecord add(Thread thread) {
		if (!take(thread)) {
			return null;
		}

		try {
			return addLocked(thread);
		} finally {
			free();
		}
	}

	private ThreadRecord addLocked(Thread thread) {
		boolean isVirtual = VirtualThreads.has(thread);
		ThreadRecord record = isVirtual ? freeVirtual : free;
		if (record == null) {
			if (count == MOST_RECORDS) {
				return null;
			}

			record = new ThreadRecord(this, count, isVirtual);
			if (count == records.length) {
				ThreadRecord[] longer = new ThreadRecord[count * 2];
				System.arraycopy(records, 0, longer, 0, count);
				records = longer;
			}

			records[count++] = record;
		} else if (isVirtual) {
			freeVirtual = record.next;
		} else {
			free = record.next;
		}

		record.number = ++number;
		record.owner = thread;
		if (++used * 2 > slots.length) {
			rebuild();
		} else {
			enter(slots, record);
		}

		return record;
	}

	private static void enter(ThreadRecord[] to, ThreadRecord record) {
		int mask = to.length - 1;
		int at = ThreadIds.of(record.owner) & mask;
		while (to[at] != null) {
			at = (at + 1) & mask;
		}

		to[at] = record;
	}

	/** Without those that are gone; twice as large if it is still more than half full. */
	private void rebuild() {
		used = muted == null ? 0 : 1;
		for (int index = 0; index < count; index++) {
			used += records[index].owner == null ? 0 : 1;
		}

		int length = slots.length;
		while (used * 4 > length) {
			length *= 2;
		}

		ThreadRecord[] to = new ThreadRecord[length];
		if (muted != null) {
			enter(to, muted);
		}

		for (int index = 0; index < count; index++) {
			if (records[index].owner != null) {
				enter(to, records[index]);
			}
		}

		slots = to;
	}

	/** Its owner has no more use for it. */
	void remove(ThreadRecord record) {
		if (!take(Thread.currentThread())) {
			record.owner = null;
			return;
		}

		ThreadRecord[] in = slots;
		for (int at = ThreadIds.of(record.owner) & (in.length - 1); in[at] != null; at = (at + 1) & (in.length - 1)) {
			if (in[at] == record) {
				in[at] = gone;
				break;
			}
		}

		record.owner = null;
		record.next = record.isVirtual ? freeVirtual : free;
		if (record.isVirtual) {
			freeVirtual = record;
		} else {
			free = record;
		}

		free();
	}

	/** Takes back the records of threads that have ended, and has kept what they counted. */
	void sweep(Totals totals) {
		for (ThreadRecord record : all()) {
			Thread owner = record.owner;
			if (owner != null && !record.isVirtual && !owner.isAlive()) {
				record.abandon();
				totals.settle(record);
				remove(record);
			}
		}
	}

	/** The session is over. */
	void letGo() {
		for (ThreadRecord record : all()) {
			record.letGo();
		}
	}

	/** Constructors whose super(...) threw last of all that their threads did, when nothing is woven any more. */
	void endThrown() {
		for (ThreadRecord record : all()) {
			record.endThrown();
		}
	}

	List<ThreadRecord> all() {
		boolean isOurs = take(Thread.currentThread());
		List<ThreadRecord> all = new ArrayList<ThreadRecord>();
		for (int index = 0; index < count; index++) {
			all.add(records[index]);
		}

		if (isOurs) {
			free();
		}

		return all;
	}

	Methods.Woven method(int id) {
		return methods[id];
	}

	/** `may`: a trace may begin with the method. */
	void mayBegin(Methods.Woven method, boolean may) {
		int length = Math.max(heads.length, method.id + 1);
		boolean[] nextHeads = java.util.Arrays.copyOf(heads, length);
		nextHeads[method.id] = may;
		Methods.Woven[] nextMethods = java.util.Arrays.copyOf(methods, length);
		nextMethods[method.id] = method;
		methods = nextMethods;
		heads = nextHeads;
	}
}
