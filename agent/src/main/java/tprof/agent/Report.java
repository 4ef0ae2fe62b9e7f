package tprof.agent;

/** The head of a report, and its clocks. */
abstract class Report {
	static final int SURVEYED = 1;
	static final int TRACING = 2;
	static final int OVER = 3;

	final Bytes bytes = new Bytes();
	private final int format;
	private final long startNanos = System.nanoTime();
	private final long startMillis = System.currentTimeMillis();
	/** Begin and end of counting (System.nanoTime()); 0 before. */
	private long since;
	private long until;

	Report(int format) {
		this.format = format;
	}

	final void begin() {
		since = since == 0 ? System.nanoTime() : since;
	}

	final void end() {
		until = System.nanoTime();
	}

	final Bytes make(int phase, long command) {
		bytes.clear();
		bytes.numbers(format, phase, command, since == 0 ? 0 : millisOf(since), since == 0 ? 0 : (until == 0 ? System.nanoTime() : until) - since);
		write();
		return bytes;
	}

	abstract void write();

	final long millisOf(long nanos) {
		return startMillis + (nanos - startNanos) / 1_000_000;
	}
}
