package tprof.agent;

import java.lang.instrument.Instrumentation;

/** Where the stub begins. The session refers to the classes in the boot loader, and so is loaded when they are there. */
public final class Agent implements Runnable {
	private final Runnable session;

	public Agent(String folder, Instrumentation instrumentation) throws Exception {
		Boot.define(instrumentation);
		session = new Session(folder, instrumentation);
	}

	@Override
	public void run() {
		session.run();
	}
}
