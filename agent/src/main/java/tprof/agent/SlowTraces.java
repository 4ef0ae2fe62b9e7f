package tprof.agent;

import java.util.List;

/** The actions of a thread's current trace, and its slowest ended traces. Only the thread writes it. */
final class SlowTraces {
	private static final int FIRST_ACTIONS = 64;
	private static final int MOST_ACTIONS = 4096;
	private static final int BYTES_PER_ACTION = 12;
	/** Of a kept trace beside its actions. */
	private static final int BYTES_OF_TRACE = 100;
	static final int BYTES = 100 + FIRST_ACTIONS * BYTES_PER_ACTION;

	private final Recorder recorder;
	private int[] actions = new int[FIRST_ACTIONS];
	private long[] times = new long[FIRST_ACTIONS];
	private int count;
	private int left;
	private final Trace[] kept;
	/** Slot of the shortest one, or a free one; a trace must be longer than `leastKept` to be kept. */
	private int leastSlot;
	private long leastKept = -1;

	SlowTraces(Recorder recorder) {
		this.recorder = recorder;
		kept = new Trace[recorder.keep];
	}

	void begin() {
		count = 0;
		left = 0;
	}

	void act(int action, long now) {
		int at = count;
		if (at == actions.length && !lengthen()) {
			left++;
			return;
		}

		actions[at] = action;
		times[at] = now;
		count = at + 1;
	}

	private boolean lengthen() {
		int next = count * 2;
		// The old ones are garbage only afterwards.
		if (next > MOST_ACTIONS || !recorder.budget.take((next - count) * BYTES_PER_ACTION)) {
			return false;
		}

		actions = copy(actions, count, next);
		times = times(next);
		return true;
	}

	/** Copies the first `count`. Not by java.util.Arrays, which may be traced itself. */
	static int[] copy(int[] from, int count, int length) {
		int[] copy = new int[length];
		System.arraycopy(from, 0, copy, 0, count);
		return copy;
	}

	private long[] times(int length) {
		long[] copy = new long[length];
		System.arraycopy(times, 0, copy, 0, count);
		return copy;
	}

	void end(long duration, ThreadCalls of) {
		if (duration <= leastKept || duration < recorder.leastDuration || kept.length == 0) {
			return;
		}

		Trace shortest = kept[leastSlot];
		if (shortest != null) {
			kept[leastSlot] = null;
			recorder.budget.giveBack(bytesOf(shortest.actions.length));
		}

		if (!recorder.budget.take(bytesOf(count))) {
			// Without room for its actions only the trace itself is kept, or not even that.
			left += count - 1;
			count = 1;
			if (!recorder.budget.take(bytesOf(count))) {
				leastKept = -1;
				return;
			}
		}

		kept[leastSlot] = new Trace(copy(actions, count, count), times(count), left, duration, of.traces * Recorder.MOST_RECORDS + of.index, of.owner.getName());
		for (int slot = 0; slot < kept.length; slot++) {
			if (durationOf(slot) < durationOf(leastSlot)) {
				leastSlot = slot;
			}
		}

		leastKept = durationOf(leastSlot);
	}

	private static int bytesOf(int actions) {
		return BYTES_OF_TRACE + actions * BYTES_PER_ACTION;
	}

	private long durationOf(int slot) {
		return kept[slot] == null ? -1 : kept[slot].duration;
	}

	/** Adds the kept traces to a list; for another thread. */
	void list(List<Trace> to) {
		for (Trace trace : kept) {
			if (trace != null) {
				to.add(trace);
			}
		}
	}
}
