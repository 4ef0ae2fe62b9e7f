package tprof.agent;

/** Pauses of the session's thread. A class of its own: Agent needs it before the classes that Session needs are there. */
final class Pause {
	private Pause() {
	}

	static void forMs(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException ignored) {
			// Nothing of ours interrupts this thread.
		}
	}
}
