package tprof.agent;

import java.lang.management.*;

/**
 * What is free in the heap: in its old generation or, of a collector without generations, in all of it. Garbage that
 * has come since the last collection counts as free only in the latter.
 */
final class HeapRoom {
	/** The agent never takes more bytes. */
	private static final int MOST = 64 * 1024 * 1024;
	private static final String RULE = "heap ";

	/** Bytes below which no session begins, and the part of it below which one ends. */
	private final long least;
	private static final double RUNNING = 2.0 / 3;
	/** The agent takes at most one `part`-th of the bytes that are free. */
	private final int part;
	/** Null in a runtime without java.management. */
	private final MemoryPoolMXBean pool = pool();

	/** `command`: the tool's, with a line of the two limits. */
	HeapRoom(String command) {
		int at = command.indexOf("\n" + RULE) + 1 + RULE.length();
		String[] limits = command.substring(at, command.indexOf('\n', at)).split(" ");
		least = Long.parseLong(limits[0]);
		part = Integer.parseInt(limits[1]);
	}

	/** Returns the session's budget. Throws NoRoomException if too little is free for a session. */
	HeapBudget budget() {
		long free = free();
		require(free, least, "low");
		return new HeapBudget((int) Math.min(MOST, free / part));
	}

	/** Throws NoRoomException if too little has been left beside what the agent takes. */
	void check(HeapBudget budget) {
		require(free(), (long) (least * RUNNING) + budget.taken(), "filled");
	}

	private static void require(long free, long needed, String otherwise) {
		if (free < needed) {
			throw new NoRoomException(otherwise + " " + free);
		}
	}

	private long free() {
		Runtime runtime = Runtime.getRuntime();
		if (pool == null) {
			return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
		}

		MemoryUsage now = pool.getUsage();
		MemoryUsage collected = isGeneration(pool.getName()) ? null : pool.getCollectionUsage();
		long used = now.getUsed();
		if (collected != null && collected.getUsed() > 0) {
			used = Math.min(used, collected.getUsed());
		}

		return (now.getMax() > 0 ? now.getMax() : runtime.maxMemory()) - used;
	}

	private static boolean isGeneration(String name) {
		return name.contains("Old") || name.contains("Tenured");
	}

	private static MemoryPoolMXBean pool() {
		try {
			MemoryPoolMXBean all = null;
			for (MemoryPoolMXBean each : ManagementFactory.getMemoryPoolMXBeans()) {
				if (each.getType() == MemoryType.HEAP && each.isValid()) {
					if (isGeneration(each.getName())) {
						return each;
					}

					all = each;
				}
			}

			return all;
		} catch (LinkageError notThere) {
			return null;
		}
	}
}
