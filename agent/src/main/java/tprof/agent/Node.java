package tprof.agent;

/** Calls of a method by one call path. */
final class Node extends Counters {
	/** Of a node: here, in the sums of all threads and of ended ones, and in a report. */
	static final int BYTES = 1200;

	final int index;
	final int parent;
	final int method;
	/** A hash table by method (open addressing). */
	private Node[] children = new Node[2];
	private int childCount;

	Node(int index, int parent, int method) {
		super(new Histogram());
		this.index = index;
		this.parent = parent;
		this.method = method;
	}

	/** Returns the node of a method called from here; null before its first call. */
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

	void addChild(Node child) {
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
}
