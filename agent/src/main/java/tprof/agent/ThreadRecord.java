package tprof.agent;

import java.util.Arrays;

/**
 * One thread's open calls, what it counted, and its slowest traces. Written by its owner alone. When that ends the record goes
 * to another thread, and counts on.
 */
final class ThreadRecord {
	private static final int FIRST_DEPTH = 64;
	private static final int MOST_DEPTH = 1 << 16;
	private static final int FIRST_ACTIONS = 64;
	private static final int MOST_ACTIONS = 4096;
	private static final int BYTES_PER_ACTION = 12;

	/** Null while it belongs to nobody. */
	volatile Thread owner;
	boolean isVirtual;
	final int index;
	final Tree tree;
	/** Of the open calls, by depth. */
	int[] nodes = new int[FIRST_DEPTH];
	long[] starts = new long[FIRST_DEPTH];
	/** Time in woven methods that the call at this depth has called. */
	private long[] inner = new long[FIRST_DEPTH];
	/** Calls that were not counted, as there was no room. */
	long lost;
	/** Traces that ended. */
	long traces;
	/** Odd while `kept` is being changed. */
	volatile int changes;
	final Trace[] kept;

	private final Recorder recorder;
	private Trace current = new Trace(FIRST_ACTIONS);
	private int open;

	ThreadRecord(Recorder recorder, int index) {
		this.recorder = recorder;
		this.index = index;
		tree = new Tree(recorder.budget);
		kept = new Trace[recorder.keep];
		for (int slot = 0; slot < kept.length; slot++) {
			kept[slot] = new Trace(0);
		}
	}

	int enter(int method) {
		int at = open;
		if (at == nodes.length && !deepen()) {
			lost++;
			return -1;
		}

		int parent = at == 0 ? 0 : nodes[(at < recorder.mostDepth ? at : recorder.mostDepth) - 1];
		int node = tree.child(parent, method);
		if (node < 0) {
			lost++;
			return -1;
		}

		nodes[at] = node;
		inner[at] = 0;
		open = at + 1;
		long now = System.nanoTime();
		starts[at] = now;
		if (at == 0) {
			current.count = 0;
			current.left = 0;
		}

		act(method << Trace.KIND_BITS | Trace.START, now);
		return at;
	}

	/** Ends the call at that depth, and those above it whose ends were missed. */
	void end(int at, boolean isException) {
		int top = open - 1;
		if (at > top) {
			return;
		}

		long now = System.nanoTime();
		for (; top > at; top--) {
			ended(top, now, true);
		}

		ended(at, now, isException);
		open = at;
		if (at == 0) {
			traceEnded(now);
		}
	}

	private void ended(int at, long now, boolean isException) {
		int node = nodes[at];
		long duration = now - starts[at];
		tree.ended(node, duration, duration - inner[at], isException);
		if (at > 0) {
			inner[at - 1] += duration;
		}

		act(tree.methods[node] << Trace.KIND_BITS | (isException ? Trace.EXCEPTION : Trace.END), now);
	}

	private void act(int action, long now) {
		Trace to = current;
		int at = to.count;
		if (at == to.actions.length && !lengthen(to)) {
			to.left++;
			return;
		}

		to.actions[at] = action;
		to.times[at] = now;
		to.count = at + 1;
	}

	private void traceEnded(long now) {
		traces++;
		long duration = now - starts[0];
		if (duration < recorder.leastDuration || kept.length == 0) {
			return;
		}

		int least = 0;
		for (int slot = 1; slot < kept.length; slot++) {
			if (kept[slot].duration < kept[least].duration) {
				least = slot;
			}
		}

		if (duration <= kept[least].duration) {
			return;
		}

		changes++;
		Trace next = kept[least];
		kept[least] = current;
		current.duration = duration;
		current.number = traces;
		current.thread = owner.getName();
		current = next;
		changes++;
	}

	private boolean lengthen(Trace trace) {
		int length = trace.actions.length;
		int next = length == 0 ? FIRST_ACTIONS : length * 2;
		if (next > MOST_ACTIONS || !recorder.budget.takeActionBytes((long) (next - length) * BYTES_PER_ACTION)) {
			return false;
		}

		trace.actions = Arrays.copyOf(trace.actions, next);
		trace.times = Arrays.copyOf(trace.times, next);
		return true;
	}

	private boolean deepen() {
		int next = nodes.length * 2;
		if (next > MOST_DEPTH) {
			return false;
		}

		nodes = Arrays.copyOf(nodes, next);
		starts = Arrays.copyOf(starts, next);
		inner = Arrays.copyOf(inner, next);
		return true;
	}

	boolean isIdle() {
		return open == 0;
	}

	/** Calls open now, as another thread sees them. */
	int openCalls() {
		return open;
	}

	/** The owner has ended with calls open, which end with it. */
	void abandon() {
		if (open > 0) {
			end(0, true);
		}
	}
}
