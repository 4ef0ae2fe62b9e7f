package tprof.agent;

import java.tprof.Call1;
import java.tprof.Sink1;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Finds the record of the thread that calls. Calls nothing of the JDK that could be woven itself. */
final class Recorder extends Sink1 {
	private static final int MOST_RECORDS = 4096;
	private static final int FIRST_SLOTS = 256;

	final Budget budget;
	final int mostDepth;
	final int keep;
	volatile long leastDuration;
	/** Whether a trace may begin with the method of an id. */
	volatile boolean[] heads = new boolean[0];
	/** Calls for which there was no record. */
	volatile long lost;

	/** Calls to come, of threads without a record, until one is followed that stands for the others. */
	private int strangers;
	/** Records by their owners: open addressing by their ids. Only a thread itself enters its record, under the lock. */
	private volatile ThreadRecord[] slots = new ThreadRecord[FIRST_SLOTS];
	private final ThreadRecord gone;
	private int used;
	private final List<ThreadRecord> records = new ArrayList<ThreadRecord>();
	/** Those of nobody now: what virtual threads counted stays together, as that of others does not. */
	private final ArrayDeque<ThreadRecord> free = new ArrayDeque<ThreadRecord>();
	private final ArrayDeque<ThreadRecord> freeVirtual = new ArrayDeque<ThreadRecord>();
	/** Of the newest thread. */
	private int number = ThreadCalls.FIRST - 1;

	Recorder(Budget budget, int mostDepth, int keep) {
		this.budget = budget;
		this.mostDepth = mostDepth;
		this.keep = keep;
		gone = new ThreadRecord(this, -1, false);
	}

	@Override
	public Call1 enter(int method) {
		Thread thread = Thread.currentThread();
		ThreadRecord record = find(thread);
		if (record == null) {
			return first(thread, method, 1);
		}

		return record.isIdle() && !mayBegin(method) ? null : record.enter(method, 1);
	}

	@Override
	public Call1 enterSome(int method) {
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
	private Call1 first(Thread thread, int method, int weight) {
		ThreadRecord record = mayBegin(method) ? add(thread) : null;
		return record == null ? null : record.enter(method, weight);
	}

	private boolean mayBegin(int method) {
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

	private synchronized ThreadRecord add(Thread thread) {
		boolean isVirtual = VirtualThreads.has(thread);
		ThreadRecord record = (isVirtual ? freeVirtual : free).poll();
		if (record == null) {
			if (records.size() == MOST_RECORDS) {
				lost++;
				return null;
			}

			record = new ThreadRecord(this, records.size(), isVirtual);
			records.add(record);
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
		used = 0;
		for (ThreadRecord record : records) {
			if (record.owner != null) {
				used++;
			}
		}

		int length = slots.length;
		while (used * 4 > length) {
			length *= 2;
		}

		ThreadRecord[] to = new ThreadRecord[length];
		for (ThreadRecord record : records) {
			if (record.owner != null) {
				enter(to, record);
			}
		}

		slots = to;
	}

	/** Its owner has no more use for it. */
	synchronized void remove(ThreadRecord record) {
		ThreadRecord[] in = slots;
		for (int at = ThreadIds.of(record.owner) & (in.length - 1); in[at] != null; at = (at + 1) & (in.length - 1)) {
			if (in[at] == record) {
				in[at] = gone;
				break;
			}
		}

		record.owner = null;
		(record.isVirtual ? freeVirtual : free).add(record);
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

	synchronized List<ThreadRecord> all() {
		return new ArrayList<ThreadRecord>(records);
	}

	void mayBegin(int method, boolean may) {
		boolean[] old = heads;
		boolean[] next = java.util.Arrays.copyOf(old, Math.max(old.length, method + 1));
		next[method] = may;
		heads = next;
	}
}
