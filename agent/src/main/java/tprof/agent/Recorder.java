package tprof.agent;

import java.tprof.Call3;
import java.tprof.Sink3;
import java.util.*;

/**
 * Finds the record of the thread that calls. Whatever the hooks reach from here on, but for Constructors, is a class that is
 * never woven (test/tracing/reach.test.ts); and what a thread calls while it is in our own code is not followed: its record
 * says so, or, while it has none, that it holds our lock.
 */
final class Recorder extends Sink3 {
	static final int MOST_RECORDS = 4096;
	/** Powers of two in histograms, for each node in the mean. */
	private static final int HISTOGRAMS_PER_NODE = 4;

	/** What threads may still allocate for what they count and keep. */
	final Budget nodes;
	final Budget histograms;
	final Budget actionBytes;
	final int keep;
	volatile long leastDuration;
	final Methods methods = new Methods();
	/** Calls for which there was no record. */
	volatile long lost;

	/** Calls to come, of threads without a record, until one is followed that stands for the others. */
	private int strangers;
	/** By their owners. Only a thread itself enters its record, under the lock. */
	private final Slots<ThreadRecord> owned = new Slots<ThreadRecord>();
	/** No monitor: the JVM may never wake a virtual thread that waits for one (JDK-8373120, JDK 24 to 25.0.3). */
	private final SpinLock lock = new SpinLock();
	private volatile Thread holder;
	private final ThreadRecord[] records = new ThreadRecord[MOST_RECORDS];
	private int count;
	/** The first of those of nobody now; in 1 of virtual threads: what these counted stays together, as that of others does not. */
	private final ThreadRecord[] free = new ThreadRecord[2];
	/** Of the newest thread. */
	private int number = Totals.FIRST_THREAD - 1;

	Recorder(int nodes, int actionBytes, int keep) {
		this.nodes = new Budget(nodes);
		histograms = new Budget(nodes * HISTOGRAMS_PER_NODE);
		this.actionBytes = new Budget(actionBytes);
		this.keep = keep;
		// Loaded now, not by a thread of the application.
		Constructors.open(new String[0]);
	}

	/** Calls of the calling thread never count: it has a record, which is none of the others, and is always inside. */
	void mute() {
		ThreadRecord muted = new ThreadRecord(this, -1, false);
		muted.own(Thread.currentThread());
		muted.isInside = true;
		if (take(muted.owner)) {
			owned.add(muted);
			free();
		}
	}

	/** Calls of the calling thread do not count until `release` gets what this returns. Null: they do not anyway, or there is no room. */
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
	public Call3 enter(int method, boolean isSome) {
		Thread thread = Thread.currentThread();
		ThreadRecord record = owned.find(thread, Threads.id(thread));
		if (record == null) {
			return first(thread, method, isSome);
		}

		if (record.open == 0 && !methods.isHead(method)) {
			return null;
		}

		int weight = isSome ? record.turns.weight(method) : 1;
		return weight == 0 ? null : record.enter(method, weight);
	}

	/** The first call of a thread that has no record yet. */
	private Call3 first(Thread thread, int method, boolean isSome) {
		// Who holds the lock is about to get a record, or to lose it.
		if (!methods.isHead(method) || holder == thread) {
			return null;
		}

		// Not exact between threads, but neither is what the calls stand for.
		if (isSome && --strangers > 0) {
			return null;
		}

		strangers = isSome ? Turns.EVERY : strangers;
		ThreadRecord record = add(thread);
		if (record == null) {
			// Two threads at once may count as one.
			lost++;
			return null;
		}

		return record.enter(method, isSome ? Turns.EVERY : 1);
	}

	/** False: the lock is broken. */
	private boolean take(Thread thread) {
		if (!lock.take()) {
			return false;
		}

		holder = thread;
		return true;
	}

	private void free() {
		holder = null;
		lock.free();
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
		boolean isVirtual = Threads.isVirtual(thread);
		int kind = isVirtual ? 1 : 0;
		ThreadRecord record = free[kind];
		if (record == null) {
			if (count == MOST_RECORDS) {
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

	/** Its owner has no more use for it. */
	void remove(ThreadRecord record) {
		boolean isOurs = take(Thread.currentThread());
		record.owner = null;
		if (isOurs) {
			int kind = record.isVirtual ? 1 : 0;
			record.next = free[kind];
			free[kind] = record;
			free();
		}
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

	/** The session is over: nothing is woven any more. A constructor whose super(...) threw may be the last that its thread called. */
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
