package tprof.agent;

/** A copy of a trace that a thread keeps. */
final class Kept {
	private static final int TRIES = 100;

	final int[] actions;
	final long[] times;
	final int count;
	final int left;
	final long duration;
	/** Different for each trace of the session. */
	final long key;
	final String thread;

	private Kept(ThreadRecord record, Trace trace) {
		int[] from = trace.actions;
		long[] when = trace.times;
		count = Math.min(trace.count, Math.min(from.length, when.length));
		actions = java.util.Arrays.copyOf(from, count);
		times = java.util.Arrays.copyOf(when, count);
		left = trace.left;
		duration = trace.duration;
		key = trace.number * 4096 + record.index;
		thread = trace.thread;
	}

	/** Null when there is none, or its thread keeps another one each time we look. */
	static Kept of(ThreadRecord record, int slot) {
		for (int tried = 0; tried < TRIES; tried++) {
			int before = record.slow.changes;
			Trace trace = record.slow.kept[slot];
			Kept kept = trace.duration < 0 ? null : new Kept(record, trace);
			if ((before & 1) == 0 && record.slow.changes == before) {
				return kept == null || kept.count == 0 ? null : kept;
			}
		}

		return null;
	}
}
