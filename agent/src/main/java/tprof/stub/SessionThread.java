package tprof.stub;

/** The thread of a session. Once it has begun it no longer refers to the agent, whose classes can go when it ends. */
final class SessionThread extends Thread {
	private Runnable agent;

	SessionThread(Runnable agent) {
		super("tprof-top");
		this.agent = agent;
		setDaemon(true);
		setContextClassLoader(null);
	}

	@Override
	public void run() {
		Runnable begun = agent;
		agent = null;
		begun.run();
	}
}
