package tprof.agent;

import java.tprof.Call4;
import java.tprof.Sink4;
import java.util.*;

/**
 * Finds the calling thread's record. Classes that the hooks call, except by way of Constructors, are never woven
 * (test/tracing/agent.jvm.test.ts). Calls that a thread makes in our own code are not followed: its record has `isInside` or, while
 * it has no record, it holds our lock.
 */
final class Recorder extends Sink4 {
	static final int MOST_RECORDS = 4096;
	/** Depth of calls for which there is stack before the lock is taken: a stack overflow would leave it taken. */
	private static final int CALLS_UNDER_LOCK = 64;

	final HeapBudget budget;
	final int keep;
	volatile long leastDuration;
	final Methods methods;
	/** Number of calls for which there was no record. */
	volatile long lost;

	/** Number of calls of thinned methods, by threads without a record, until one is followed. */
	private int strangers;
	/** Records by owner. Only a thread itself adds its record, under the lock. */
	private final Slots<ThreadRecord> owned = new Slots<ThreadRecord>();
	/** No monitor: the JVM may never wake a virtual thread that waits for one (JDK-8373120, JDK 24 to 25.0.3). */
	private final SpinLock lock = new SpinLock();
	private volatile Thread holder;
	private final ThreadRecord[] records = new ThreadRecord[MOST_RECORDS];
	private int count;
	/** There was no room for a record, and none has become free since. */
	private volatile boolean isFull;
	/** First free record: of platform threads, and of virtual threads, whose counters stay together. */
	private final ThreadRecord[] free = new ThreadRecord[2];
	private int number = Totals.FIRST_THREAD - 1;

	Recorder(HeapBudget budget, int keep) {
		this.budget = budget;
		this.keep = keep;
		methods = new Methods(budget);
		// Loads the class now rather than on a thread of the application.
		Constructors.open(new String[0]);
	}

	/** Excludes the calling thread, by a record outside the list that is always inside. */
	void mute() {
		ThreadRecord muted = new ThreadRecord(this, -1, false);
		muted.own(Thread.currentThread());
		muted.isInside = true;
		if (take(muted.owner)) {
			owned.add(muted);
			free();
		}
	}

	/** Excludes the calling thread until `release` of the result; null if it is excluded already, or there is no room. */
	ThreadRecord hold() {
		Thread thread = Thread.currentThread();
		ThreadRecord record = owned.find(thread, Threads.id(thread));
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
	public Call4 enter(int method, boolean isSome) {
		Thread thread = Thread.currentThread();
		ThreadRecord record = owned.find(thread, Threads.id(thread));
		if (record == null) {
			return first(thread, method, isSome);
		}

		if (record.open == 0 && !methods.isHead(method)) {
			return null;
		}

		int weight = isSome ? record.thinning.weight(method, budget) : 1;
		if (weight > 0) {
			return record.enter(method, weight);
		}

		record.lost -= weight;
		return null;
	}

	private Call4 first(Thread thread, int method, boolean isSome) {
		// The lock's holder is about to get a record, or to lose it.
		if (!methods.isHead(method) || holder == thread) {
			return null;
		}

		// Races are harmless: the weight is only right on average.
		if (isSome && --strangers > 0) {
			return null;
		}

		strangers = isSome ? Thinning.EVERY : strangers;
		ThreadRecord record = isFull ? null : add(thread);
		if (record == null) {
			// Two threads at the same time may count once.
			lost++;
			return null;
		}

		return record.enter(method, isSome ? Thinning.EVERY : 1);
	}

	private boolean take(Thread thread) {
		descend(CALLS_UNDER_LOCK);
		if (!lock.take()) {
			return false;
		}

		holder = thread;
		return true;
	}

	/** Calls itself so many times: a stack that is nearly full overflows here. */
	private static int descend(int calls) {
		return calls == 0 ? 0 : 1 + descend(calls - 1);
	}

	private void free() {
		holder = null;
		lock.free();
	}

	/** Returns a record for the thread; null if there is no room or the lock is broken. */
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
		boolean isVirtual = Threads.isVirtual(thread);
		int kind = isVirtual ? 1 : 0;
		ThreadRecord record = free[kind];
		if (record == null) {
			if (count == MOST_RECORDS || !budget.take(ThreadRecord.BYTES)) {
				isFull = true;
				return null;
			}

			record = new ThreadRecord(this, count, isVirtual);
			records[count++] = record;
		} else {
			free[kind] = record.next;
		}

		record.number = ++number;
		record.own(thread);
		owned.add(record);
		return record;
	}

	/** Frees a record that its owner no longer needs. */
	void remove(ThreadRecord record) {
		boolean isOurs = take(Thread.currentThread());
		record.owner = null;
		if (isOurs) {
			int kind = record.isVirtual ? 1 : 0;
			record.next = free[kind];
			free[kind] = record;
			isFull = false;
			free();
		}
	}

	/** Frees the records of ended threads, after their counters went to `totals`. */
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

	/** At the session's end: ends constructors whose super(...) threw if their threads called nothing after them. */
	void detach() {
		for (ThreadRecord record : all()) {
			record.endThrown();
			record.detach();
		}
	}

	List<ThreadRecord> all() {
		boolean isOurs = take(Thread.currentThread());
		List<ThreadRecord> all = new ArrayList<ThreadRecord>(Arrays.asList(records).subList(0, count));
		if (isOurs) {
			free();
		}

		return all;
	}
}
