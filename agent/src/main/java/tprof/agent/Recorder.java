package tprof.agent;

import java.tprof.v5.Call;
import java.tprof.v5.Sink;
import java.util.*;

/**
 * Finds the calling thread's ThreadCalls. Classes that the hooks call, except by way of Constructors, are never woven
 * (test/tracing/agent.jvm.test.ts). Calls that a thread makes in our own code are not followed: its ThreadCalls has `isInside`
 * or, while it has none, it holds our lock.
 */
final class Recorder extends Sink {
	static final int MOST_RECORDS = 4096;
	/** Depth of calls for which there is stack before the lock is taken: a stack overflow would leave it taken. */
	private static final int CALLS_UNDER_LOCK = 64;

	final HeapBudget budget;
	final int keep;
	volatile long leastDuration;
	final Methods methods;
	/** Number of calls for which there was no ThreadCalls. */
	volatile long lost;

	/** Number of calls of thinned methods, by threads without a ThreadCalls, until one is followed. */
	private int strangers;
	/** By owner. Only a thread itself adds its ThreadCalls, under the lock. */
	private final Slots<ThreadCalls> owned = new Slots<ThreadCalls>();
	/** No monitor: the JVM may never wake a virtual thread that waits for one (JDK-8373120, JDK 24 to 25.0.3). */
	private final SpinLock lock = new SpinLock();
	private volatile Thread holder;
	private final ThreadCalls[] allCalls = new ThreadCalls[MOST_RECORDS];
	private int count;
	/** There was no room for a ThreadCalls, and none has become free since. */
	private volatile boolean isFull;
	/** The first free one: of platform threads, and of virtual threads, whose counters stay together. */
	private final ThreadCalls[] free = new ThreadCalls[2];
	private int number = Totals.FIRST_THREAD - 1;

	Recorder(HeapBudget budget, int keep) {
		this.budget = budget;
		this.keep = keep;
		methods = new Methods(budget);
		// Loads the class now rather than on a thread of the application.
		Constructors.open(new String[0]);
	}

	/** Excludes the calling thread, by a ThreadCalls outside the list that is always inside. */
	void mute() {
		ThreadCalls muted = new ThreadCalls(this, -1, false);
		muted.own(Thread.currentThread());
		muted.isInside = true;
		if (take(muted.owner)) {
			owned.add(muted);
			free();
		}
	}

	/** Excludes the calling thread until `release` of the result; null if it is excluded already, or there is no room. */
	ThreadCalls hold() {
		Thread thread = Thread.currentThread();
		ThreadCalls ofThread = owned.find(thread, Threads.id(thread));
		boolean isNew = ofThread == null;
		if (isNew) {
			ofThread = add(thread);
		}

		if (ofThread == null || ofThread.isInside) {
			return null;
		}

		ofThread.isInside = true;
		ofThread.isTemporary = isNew;
		return ofThread;
	}

	void release(ThreadCalls ofThread) {
		if (ofThread != null) {
			ofThread.isInside = false;
			if (ofThread.isTemporary) {
				ofThread.isTemporary = false;
				remove(ofThread);
			}
		}
	}

	@Override
	public Call enter(int method, boolean isSome) {
		Thread thread = Thread.currentThread();
		ThreadCalls ofThread = owned.find(thread, Threads.id(thread));
		if (ofThread == null) {
			return first(thread, method, isSome);
		}

		if (ofThread.open == 0 && !methods.isHead(method)) {
			return null;
		}

		int weight = isSome ? ofThread.thinning.weight(method, budget) : 1;
		if (weight > 0) {
			return ofThread.enter(method, weight);
		}

		ofThread.lost -= weight;
		return null;
	}

	private Call first(Thread thread, int method, boolean isSome) {
		// The lock's holder is about to get a ThreadCalls, or to lose it.
		if (!methods.isHead(method) || holder == thread) {
			return null;
		}

		// Races are harmless: the weight is only right on average.
		if (isSome && --strangers > 0) {
			return null;
		}

		strangers = isSome ? Thinning.EVERY : strangers;
		ThreadCalls ofThread = isFull ? null : add(thread);
		if (ofThread == null) {
			// Two threads at the same time may count once.
			lost++;
			return null;
		}

		return ofThread.enter(method, isSome ? Thinning.EVERY : 1);
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

	/** Returns a ThreadCalls for the thread; null if there is no room or the lock is broken. */
	private ThreadCalls add(Thread thread) {
		if (!take(thread)) {
			return null;
		}

		try {
			return addLocked(thread);
		} finally {
			free();
		}
	}

	private ThreadCalls addLocked(Thread thread) {
		boolean isVirtual = Threads.isVirtual(thread);
		int kind = isVirtual ? 1 : 0;
		ThreadCalls ofThread = free[kind];
		if (ofThread == null) {
			if (count == MOST_RECORDS || !budget.take(ThreadCalls.BYTES)) {
				isFull = true;
				return null;
			}

			ofThread = new ThreadCalls(this, count, isVirtual);
			allCalls[count++] = ofThread;
		} else {
			free[kind] = ofThread.next;
		}

		ofThread.number = ++number;
		ofThread.own(thread);
		owned.add(ofThread);
		return ofThread;
	}

	/** Frees what its owner no longer needs. */
	void remove(ThreadCalls ofThread) {
		boolean isOurs = take(Thread.currentThread());
		ofThread.owner = null;
		if (isOurs) {
			int kind = ofThread.isVirtual ? 1 : 0;
			ofThread.next = free[kind];
			free[kind] = ofThread;
			isFull = false;
			free();
		}
	}

	/** Frees the ThreadCalls of ended threads, after their counters went to `totals`. */
	void sweep(Totals totals) {
		for (ThreadCalls ofThread : all()) {
			Thread owner = ofThread.owner;
			if (owner != null && !ofThread.isVirtual && !owner.isAlive()) {
				ofThread.abandon();
				totals.settle(ofThread);
				remove(ofThread);
			}
		}
	}

	/** At the session's end: ends constructors whose super(...) threw if their threads called nothing after them. */
	void detach() {
		for (ThreadCalls ofThread : all()) {
			ofThread.endThrown();
			ofThread.detach();
		}
	}

	List<ThreadCalls> all() {
		boolean isOurs = take(Thread.currentThread());
		List<ThreadCalls> all = new ArrayList<ThreadCalls>(Arrays.asList(allCalls).subList(0, count));
		if (isOurs) {
			free();
		}

		return all;
	}
}
