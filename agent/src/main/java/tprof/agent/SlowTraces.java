package tprof.agent;

/** The trace of a thread that goes on, with its actions, and the slowest ones that have ended. Written by the thread alone. */
final class SlowTraces {
	private static final int FIRST_ACTIONS = 64;
	private static final int MOST_ACTIONS = 4096;
	private static final int BYTES_PER_ACTION = 12;

	/** Odd while `kept` is being changed. */
	volatile int changes;
	final Trace[] kept;

	private final Recorder recorder;
	private final Budget budget;
	private Trace current = new Trace(FIRST_ACTIONS);
	/** Where the shortest one is, or room; a trace must be longer than this to be kept. */
	private int leastSlot;
	private long leastKept = -1;

	SlowTraces(Recorder recorder) {
		this.recorder = recorder;
		budget = recorder.budget;
		kept = new Trace[recorder.keep];
		for (int slot = 0; slot < kept.length; slot++) {
			kept[slot] = new Trace(0);
		}
	}

	void begin() {
		current.count = 0;
		current.left = 0;
	}

	void act(int action, long now) {
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

	void end(long duration, ThreadRecord of) {
		if (duration > leastKept && duration >= recorder.leastDuration && kept.length > 0) {
			keep(duration, of);
		}
	}

	private void keep(long duration, ThreadRecord of) {
		Trace whole = current;
		changes++;
		current = kept[leastSlot];
		kept[leastSlot] = whole;
		whole.duration = duration;
		whole.number = of.traces;
		whole.thread = of.owner.getName();
		changes++;
		for (int slot = 0; slot < kept.length; slot++) {
			if (kept[slot].duration < kept[leastSlot].duration) {
				leastSlot = slot;
			}
		}

		leastKept = kept[leastSlot].duration;
	}

	private boolean lengthen(Trace trace) {
		int length = trace.actions.length;
		int next = length == 0 ? FIRST_ACTIONS : length * 2;
		if (next > MOST_ACTIONS || !budget.takeActionBytes((next - length) * BYTES_PER_ACTION)) {
			return false;
		}

		trace.actions = Copies.of(trace.actions, next);
		trace.times = Copies.of(trace.times, next);
		return true;
	}
}
