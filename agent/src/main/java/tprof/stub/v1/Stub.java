package tprof.stub.v1;

import java.io.*;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;

/**
 * What the JVM loads. The application's class loader keeps this class, whose package has a version, and uses it for any later
 * jar too, so it only keeps the first Instrumentation (each load brings another one, and only the one that added a transformer
 * can remove it), and starts this jar's agent in a class loader of its own.
 */
public final class Stub {
	private static final long LAST_STEPS_MS = 1000;
	private static Instrumentation first;
	/** The current or last session. */
	private static Thread session;

	/** `folder`: the session's, with the jar and the files between agent and tool. Never throws. */
	public static void agentmain(String folder, Instrumentation instrumentation) {
		try {
			// Opens every entry of the class path now: the jar is about to be removed, and another file could take its place.
			ClassLoader.getSystemResource("tprof/none" + folder.hashCode());
			synchronized (Stub.class) {
				if (first == null) {
					first = instrumentation;
				}

				if (session != null) {
					// A session that wrote its last report is about to end.
					session.join(LAST_STEPS_MS);
				}

				if (session != null && session.isAlive()) {
					throw new IllegalStateException("busy");
				}

				Runnable agent = (Runnable) new JarLoader(new File(folder, "agent.jar")).loadClass("tprof.agent.Agent")
						.getMethod("session", String.class, Instrumentation.class).invoke(null, folder, first);
				session = new SessionThread(agent);
				session.start();
			}
		} catch (Throwable error) {
			report(folder, error);
			remove(folder);
		}
	}

	/** Removes the folder, as the agent does at its start: the tool may be gone. */
	private static void remove(String folder) {
		for (String name : new String[] {"control", "data", "agent.jar", ""}) {
			new File(folder, name).delete();
		}
	}

	private static void report(String folder, Throwable error) {
		try (RandomAccessFile data = new RandomAccessFile(new File(folder, "data"), "rw")) {
			Throwable cause = error.getCause() == null ? error : error.getCause();
			data.write(("TPERR" + cause).getBytes(StandardCharsets.UTF_8));
		} catch (Throwable unheard) {
			// The tool notices that no answer comes.
		}
	}

	/**
	A session's thread. Does not refer to the agent once it runs, so that the agent's classes can be unloaded. What it
	throws is not for the program's handler of uncaught exceptions, which may end the JVM.
	*/
	private static final class SessionThread extends Thread implements Thread.UncaughtExceptionHandler {
		private Runnable agent;

		SessionThread(Runnable agent) {
			super("tprof-top");
			this.agent = agent;
			setDaemon(true);
			setContextClassLoader(null);
			setUncaughtExceptionHandler(this);
		}

		@Override
		public void uncaughtException(Thread thread, Throwable error) {
			// The tool notices that no answer comes.
		}

		@Override
		public void run() {
			Runnable begun = agent;
			agent = null;
			begun.run();
		}
	}
}
