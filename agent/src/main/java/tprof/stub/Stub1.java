package tprof.stub;

import java.io.File;
import java.io.RandomAccessFile;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;

/**
 * What the JVM loads. The class loader of the application keeps it for good and gives it again to any later jar, so it does
 * next to nothing: it keeps the first Instrumentation (each load brings a new one, and a transformer can only be removed by
 * the one that added it), and starts the agent of this jar in a loader of its own.
 */
public final class Stub1 {
	private static final long LAST_STEPS_MS = 1000;
	private static Instrumentation first;
	/** The session that runs, or the last one. */
	private static Thread session;

	/** `folder`: of the session, which has the jar, and the files by which agent and tool speak. Nothing is thrown. */
	public static void agentmain(String folder, Instrumentation instrumentation) {
		try {
			// The jar is about to be removed: every entry of the class path is opened now, so that nobody can put
			// another file in its place.
			ClassLoader.getSystemResource("tprof/none" + folder.hashCode());
			synchronized (Stub1.class) {
				if (first == null) {
					first = instrumentation;
				}

				if (session != null) {
					// One that has given its last report is about to end.
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

	/** What the agent does when it begins. The tool may be gone, and nobody else would. */
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
			// The tool sees that no answer comes.
		}
	}

	/** The thread of a session. Once it has begun it no longer refers to the agent, whose classes can go when it ends. */
	private static final class SessionThread extends Thread {
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
}
