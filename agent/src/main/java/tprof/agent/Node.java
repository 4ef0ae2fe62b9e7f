package tprof.agent;

/** Calls of a method by one way that led to them. Written by one thread; others see each counter as it was a moment ago. */
final class Node {
	private static final int FIRST_CHILDREN = 2;

	final int index;
	final int parent;
	final int method;
	long calls;
	long exceptions;
	/** From start to end, nanoseconds; of it, what no woven method called from it took. */
	long cumulative;
	long own;
	/** The shortest call, and 1; 0 before the first. */
	long least;
	long most;
	final Histogram durations = new Histogram();
	/** Open addressing by the method. */
	private Node[] children = new Node[FIRST_CHILDREN];
	private int childCount;

	Node(int index, int parent, int method) {
		this.index = index;
		this.parent = parent;
		this.method = method;
	}

	/** The node of a method called here; null before its first call. */
	Node child(int called) {
		Node[] in = children;
		int mask = in.length - 1;
		for (int at = called & mask;; at = (at + 1) & mask) {
			Node child = in[at];
			if (child == null || child.method == called) {
				return child;
			}
		}
	}

	void add(Node child) {
		if (++childCount * 2 > children.length) {
			Node[] old = children;
			children = new Node[old.length * 2];
			for (Node each : old) {
				if (each != null) {
					enter(each);
				}
			}
		}

		enter(child);
	}

	private void enter(Node child) {
		int mask = children.length - 1;
		int at = child.method & mask;
		while (children[at] != null) {
			at = (at + 1) & mask;
		}

		children[at] = child;
	}

	/** As before its first call. Its owner calls nothing meanwhile. */
	void clear() {
		calls = 0;
		exceptions = 0;
		cumulative = 0;
		own = 0;
		least = 0;
		most = 0;
		durations.clear();
	}

	/** A call ends that stands for so many. */
	void ended(long duration, long ownDuration, boolean isException, int weight, Budget budget) {
		calls += weight;
		if (isException) {
			exceptions += weight;
		}

		cumulative += duration * weight;
		own += ownDuration * weight;
		if (duration > most) {
			most = duration;
		}

		if (duration + 1 < least || least == 0) {
			least = duration + 1;
		}

		durations.add(duration, weight, budget);
	}
}
