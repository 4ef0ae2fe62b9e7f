package tprof.agent;

/** The calls of a thread by call path. The root, node 0, is the thread itself. */
final class Tree {
	private static final int FIRST_CAPACITY = 16;

	final Node root = new Node(0, -1, -1);
	/** By index. Read `count` first. */
	private volatile Node[] nodes = new Node[FIRST_CAPACITY];
	private volatile int count = 1;
	/** Null: unlimited. */
	private final HeapBudget budget;

	Tree(HeapBudget budget) {
		this.budget = budget;
		nodes[0] = root;
	}

	/** Returns the number of complete nodes; for other threads. */
	int count() {
		return count;
	}

	Node node(int index) {
		return nodes[index];
	}

	/** Adds a node for a method called at `parent`; returns null if there is no room. */
	Node add(Node parent, int method) {
		if (budget != null && !budget.take(Node.BYTES)) {
			return null;
		}

		int index = count;
		if (index == nodes.length) {
			Node[] longer = new Node[index * 2];
			System.arraycopy(nodes, 0, longer, 0, index);
			nodes = longer;
		}

		Node node = new Node(index, parent.index, method);
		nodes[index] = node;
		parent.addChild(node);
		count = index + 1;
		return node;
	}
}
