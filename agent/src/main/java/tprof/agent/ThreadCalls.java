package tprof.agent;

import java.tprof.v5.Call;
import java.tprof.v5.Calls;

/**
 * A thread's open calls and its counters. Only its owner writes it. When the owner ends, another thread may get it:
 * that of virtual threads keeps its counters, any other starts again from zero.
 */
final class ThreadCalls extends Calls implements Slots.Entry {
	private static final int FIRST_DEPTH = 16;
	/** Maximum number of open calls, and depth to which call paths are distinguished. */
	private static final int MOST_DEPTH = 1 << 16;
	private static final int MOST_PATH_DEPTH = 256;
	/** Of a frame with its call; of this object with its first frames, its root, and what a report has of the thread. */
	private static final int BYTES_OF_FRAME = 96;
	static final int BYTES = 1500 + FIRST_DEPTH * BYTES_OF_FRAME + SlowTraces.BYTES;

	private static final class Frame {
		final Call call;
		/** Index in the tree: writing a reference would cost a write barrier of the collector. */
		int node;
		/** Number of calls that it counts for. */
		int weight;
		long start;
		/** Time in woven methods that it called. */
		long inner;
		/** A constructor that is in super(...) or this(...). If that throws, no hook is called. */
		boolean isConstructing;

		Frame(ThreadCalls of, int depth) {
			call = new Call(of, depth);
		}
	}

	/** Null if free. */
	volatile Thread owner;
	private int hash;
	/** The next free one. */
	ThreadCalls next;
	/** Its owner is in our own code, whose calls do not count. */
	boolean isInside;
	/** It exists only while its owner is inside. */
	boolean isTemporary;
	/** Different for each owner. */
	int number;
	final boolean isVirtual;
	final int index;
	final Tree tree;
	final SlowTraces slow;
	/** Number of calls not counted because there was no room. */
	long lost;
	long traces;

	private final Recorder recorder;
	final Thinning thinning = new Thinning();
	private Frame[] frames = new Frame[0];
	int open;

	ThreadCalls(Recorder recorder, int index, boolean isVirtual) {
		this.recorder = recorder;
		this.index = index;
		this.isVirtual = isVirtual;
		tree = new Tree(recorder.budget);
		slow = new SlowTraces(recorder);
		lengthen(FIRST_DEPTH);
	}

	void own(Thread thread) {
		hash = Threads.id(thread);
		owner = thread;
	}

	@Override
	public Object key() {
		return owner;
	}

	@Override
	public int hash() {
		return hash;
	}

	/** A call begins that counts for `weight` calls. */
	Call enter(int method, int weight) {
		if (isInside) {
			return null;
		}

		Call call;
		isInside = true;
		try {
			call = begin(method, weight);
		} finally {
			isInside = false;
		}

		if (call == null && isVirtual && open == 0) {
			recorder.remove(this);
		}

		return call;
	}

	private Call begin(int method, int weight) {
		int at = open;
		Frame[] in = frames;
		if (at > 0 && in[at - 1].isConstructing && !isSuperCall(method, at - 1)) {
			endThrown(Constructors.open(constructing()));
			at = open;
			if (at == 0 && !recorder.methods.isHead(method)) {
				return null;
			}
		}

		if (at == in.length) {
			if (!deepen(at * 2)) {
				lost++;
				return null;
			}

			in = frames;
		}

		Frame frame = in[at];
		Node parent = at == 0 ? tree.root : tree.node(in[(at < MOST_PATH_DEPTH ? at : MOST_PATH_DEPTH) - 1].node);
		Node node = parent.child(method);
		if (node == null) {
			node = tree.add(parent, method);
			if (node == null) {
				lost++;
				return null;
			}
		}

		frame.node = node.index;
		frame.weight = weight;
		frame.inner = 0;
		frame.isConstructing = false;
		if (at == 0) {
			slow.begin();
		}

		long now = System.nanoTime();
		frame.start = now;
		slow.act(method << Trace.KIND_BITS | Trace.START, now);
		// Last: a stack overflow may end this method earlier.
		open = at + 1;
		return frame.call;
	}

	@Override
	public void end(int depth, boolean isThrown) {
		int first = depth;
		if (isThrown) {
			// An exception from a constructor's super(...) ends that constructor too.
			while (first > 0 && first < open && frames[first - 1].isConstructing && isSuperCall(tree.node(frames[first].node).method, first - 1)) {
				first--;
			}
		}

		end(first, isThrown ? Trace.EXCEPTION : Trace.END);
	}

	@Override
	public void constructing(int depth, boolean isInside) {
		if (depth < open) {
			if (!isInside && depth + 1 < open) {
				end(depth + 1, Trace.EXCEPTION);
			}

			frames[depth].isConstructing = isInside;
		}
	}

	/** Whether the method is the constructor that the one at depth `at` calls by super(...) or this(...). */
	private boolean isSuperCall(int method, int at) {
		Methods.Woven called = recorder.methods.get(method);
		Methods.Woven caller = recorder.methods.get(tree.node(frames[at].node).method);
		return called.isConstructor() && called.className.equals(caller.superCall);
	}

	/** Depth of the outermost of the innermost calls that are constructors in super(...) or this(...). */
	private int firstConstructing() {
		int first = open;
		while (first > 0 && frames[first - 1].isConstructing) {
			first--;
		}

		return first;
	}

	/** Classes of these constructors, the outermost first. */
	private String[] constructing() {
		int first = firstConstructing();
		String[] classes = new String[open - first];
		for (int index = 0; index < classes.length; index++) {
			classes[index] = recorder.methods.get(tree.node(frames[first + index].node).method).className;
		}

		return classes;
	}

	/** Ends all but the first `alive` of these constructors, by an exception. */
	private void endThrown(int alive) {
		finish(firstConstructing() + alive, Trace.EXCEPTION);
	}

	/** Does so after the classes were restored, when the owner calls no hook any more. */
	void endThrown() {
		Thread thread = owner;
		if (thread != null && open > 0 && frames[open - 1].isConstructing) {
			endThrown(Constructors.open(constructing(), thread.getStackTrace(), 0));
		}
	}

	private void end(int at, int kind) {
		if (isInside) {
			return;
		}

		boolean isOver;
		isInside = true;
		try {
			isOver = finish(at, kind);
		} finally {
			isInside = false;
		}

		if (isOver && isVirtual) {
			recorder.remove(this);
		}
	}

	/** Ends the call at a depth and those above it whose ends were missed; returns whether that ends the trace. */
	private boolean finish(int at, int kind) {
		int top = open - 1;
		if (at > top) {
			return false;
		}

		long now = System.nanoTime();
		for (; top >= at; top--) {
			// First: what `ended` may throw must not end the call a second time.
			open = top;
			ended(top, now, top > at ? Trace.EXCEPTION : kind);
		}

		if (at == 0) {
			Frame head = frames[0];
			traces += head.weight;
			slow.end(now - head.start, this);
			return true;
		}

		return false;
	}

	private void ended(int at, long now, int kind) {
		Frame frame = frames[at];
		Node node = tree.node(frame.node);
		long duration = now - frame.start;
		node.ended(duration, duration - frame.inner, kind == Trace.EXCEPTION, frame.weight, recorder.budget);
		if (at > 0) {
			frames[at - 1].inner += duration * frame.weight;
		}

		slow.act(node.method << Trace.KIND_BITS | kind, now);
	}

	private boolean deepen(int length) {
		if (length > MOST_DEPTH || !recorder.budget.take((length - frames.length) * BYTES_OF_FRAME)) {
			return false;
		}

		lengthen(length);
		return true;
	}

	private void lengthen(int length) {
		Frame[] next = new Frame[length];
		System.arraycopy(frames, 0, next, 0, frames.length);
		for (int depth = frames.length; depth < length; depth++) {
			next[depth] = new Frame(this, depth);
		}

		frames = next;
	}

	/** Method of the trace's outermost call (-1 before the first), and its start. May be read by another thread. */
	int head() {
		return tree.node(frames[0].node).method;
	}

	long since() {
		return frames[0].start;
	}

	/** Ends the calls that were open when the owner ended. */
	void abandon() {
		if (open > 0) {
			end(0, Trace.EXCEPTION);
		}
	}

	/** At the session's end: calls in progress must not keep it in memory. */
	void detach() {
		for (Frame frame : frames) {
			frame.call.of = null;
		}
	}
}
