package tprof.agent;

import java.lang.management.*;

/**
 * What is free in the heap: in its old generation or, of a collector without generations, in all of it. Garbage that
 * has come since the last collection counts as free only in the latter.
 */
final class HeapRoom {
	private static final int MEGABYTE = 1024 * 1024;
	/**
	 * Bytes: no session begins with less free (leastHeapMb in room.ts), and one ends when less than LEFT is free beside
	 * what the agent has taken. The program may fill its heap to the last megabytes in a moment, before the session can
	 * end.
	 */
	private static final long LEAST = 192 * MEGABYTE;
	private static final long LEFT = LEAST * 2 / 3;
	/**
	 * The agent takes at most one PART-th of the bytes that are free, or up to FEW one PART_OF_FEW-th, and never more than
	 * MOST. A program may fill its heap up to what the agent has.
	 */
	private static final int PART = 256;
	private static final int PART_OF_FEW = 64;
	private static final int FEW = 4 * MEGABYTE;
	private static final int MOST = 64 * MEGABYTE;
	/** With less free, in which garbage counts as used, the heap is full. */
	private static final long NEARLY_NOTHING = 4 * MEGABYTE;

	/** Bytes of the whole heap that must be free before JMX is used, and how long to wait for a collection that frees them. */
	private static final long LEAST_FOR_JMX = LEAST / 2;
	private static final long WAIT_MS = 2000;
	private static final long POLL_MS = 20;

	/** Null in a runtime without java.management. */
	private final MemoryPoolMXBean pool;

	/** Throws NoRoomException if too little is free. */
	HeapRoom() {
		// A class of JMX that runs out of memory while it is initialised would be of no use to the program any more.
		long free = freeWithGarbage();
		for (long waited = 0; free < LEAST_FOR_JMX && waited < WAIT_MS; waited += POLL_MS) {
			Pause.forMs(POLL_MS);
			free = freeWithGarbage();
		}

		if (free < LEAST_FOR_JMX) {
			require(free, LEAST, "low");
		}

		pool = pool();
		// A look initialises more classes.
		free();
	}

	/** Returns the session's budget. Throws NoRoomException if too little is free for a session. */
	HeapBudget budget() {
		long free = free();
		require(free, LEAST, "low");
		return new HeapBudget((int) Math.min(MOST, Math.max(free / PART, Math.min(FEW, free / PART_OF_FEW))));
	}

	/** Throws NoRoomException if too little has been left beside what the agent takes. */
	void check(HeapBudget budget) {
		require(free(), LEFT + budget.taken(), "filled");
	}

	static boolean isFull() {
		return freeWithGarbage() < NEARLY_NOTHING;
	}

	private static void require(long free, long needed, String otherwise) {
		if (free < needed) {
			throw new NoRoomException(otherwise + " " + free + " " + needed);
		}
	}

	/** Bytes free of the whole heap, in which garbage counts as used. */
	private static long freeWithGarbage() {
		Runtime runtime = Runtime.getRuntime();
		return runtime.maxMemory() - runtime.totalMemory() + runtime.freeMemory();
	}

	private long free() {
		if (pool == null) {
			return freeWithGarbage();
		}

		MemoryUsage now = pool.getUsage();
		MemoryUsage collected = isGeneration(pool.getName()) ? null : pool.getCollectionUsage();
		long used = now.getUsed();
		if (collected != null && collected.getUsed() > 0) {
			used = Math.min(used, collected.getUsed());
		}

		return (now.getMax() > 0 ? now.getMax() : Runtime.getRuntime().maxMemory()) - used;
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
