package tprof.agent;

import java.io.*;
import java.lang.instrument.Instrumentation;

/** A session, on a thread of its own: executes commands, writes reports, and restores all classes when the tool is gone. */
final class Session implements Runnable {
	private static final String STOP = "phase stop";
	private static final String TASKS = "phase tasks";
	private static final long POLL_MS = 20;
	private static final long LOOK_MS = 1000;
	/** Time for calls that are about to end when classes are restored. */
	private static final long LAST_CALLS_MS = 50;
	/** Bounds for the calls of all threads, and for whole traces. */
	private static final int MOST_NODES = 65_536;
	private static final int MOST_ACTION_BYTES = 32 * 1024 * 1024;

	private final Instrumentation instrumentation;
	private final Channel channel;
	private int phase;
	private long periodMs = 1000;
	/** Null unless methods are traced. */
	private Recorder recorder;
	private TraceWeaving weaving;
	private TraceReport report;
	/** Null until methods are woven. */
	private Overhead overhead;
	/** Null unless tasks are followed. */
	private Tasks tasks;
	private TaskWeaving taskWeaving;
	private TaskReport taskReport;

	Session(String folder, Instrumentation instrumentation) throws Exception {
		this.instrumentation = instrumentation;
		channel = new Channel(new File(folder));
	}

	@Override
	public void run() {
		try {
			try {
				listen();
			} finally {
				takeOut();
			}

			if (report != null || tasks != null) {
				phase = Report.OVER;
				report();
			}
		} catch (IOException error) {
			channel.writeLastWord("file " + error.getMessage());
		} catch (Throwable error) {
			channel.writeLastWord(error.toString());
		}

		try {
			channel.close();
		} catch (IOException ignored) {
			// Both files have been removed already.
		}
	}

	private void listen() throws IOException {
		long sinceLook = 0;
		long sinceReport = 0;
		while (true) {
			String text = channel.poll();
			if (text != null) {
				if (text.startsWith(STOP)) {
					return;
				}

				if (text.startsWith(TASKS)) {
					follow(TaskProbe.parse(text));
				} else {
					trace(new Command(text));
				}

				report();
				sinceReport = 0;
			}

			pause(POLL_MS);
			sinceLook += POLL_MS;
			sinceReport += POLL_MS;
			if (sinceLook >= LOOK_MS) {
				sinceLook = 0;
				if (channel.isDeserted()) {
					return;
				}

				if (tasks != null) {
					tasks.sweep();
					taskWeaving.weaveNewClasses();
				} else if (recorder != null) {
					recorder.sweep(report.totals);
					weaving.weaveNewClasses();
				}
			}

			if (sinceReport >= periodMs && phase == Report.TRACING) {
				sinceReport = 0;
				report();
				if (overhead != null) {
					weaving.weaveAnew(overhead.tooMuch(report.totals, recorder.methods.all()));
				}
			}
		}
	}

	/** Starts following tasks; only once in a session. */
	private void follow(TaskProbe probe) {
		if (tasks == null) {
			tasks = new Tasks(probe);
			taskWeaving = new TaskWeaving(instrumentation, probe, tasks.workers, channel);
			taskReport = new TaskReport(tasks, taskWeaving);
			periodMs = probe.periodMs;
			tasks.workers.mute();
			tasks.counters.begin(instrumentation.getAllLoadedClasses());
			java.tprof.TaskHooks2.sink = tasks;
			taskWeaving.weave();
			phase = Report.TRACING;
		}
	}

	/** Looks up what the patterns match, and weaves it if the command says so. */
	private void trace(Command command) {
		if (recorder == null) {
			recorder = new Recorder(MOST_NODES, MOST_ACTION_BYTES, command.keep);
			recorder.mute();
			weaving = new TraceWeaving(instrumentation, recorder, channel);
			report = new TraceReport(recorder, weaving);
		}

		periodMs = command.periodMs;
		Choice choice = new Choice(command);
		report.survey = new Survey(instrumentation, choice, channel);
		phase = Math.max(phase, Report.SURVEYED);
		if (command.phase.equals("weave")) {
			boolean isFirst = overhead == null;
			overhead = isFirst ? new Overhead() : overhead;
			overhead.mostPercent = command.mostOverhead;
			recorder.leastDuration = command.leastDuration;
			java.tprof.Hooks3.sink = recorder;
			weaving.weave(choice, report.survey);
			report.begin();
			if (isFirst) {
				overhead.cost.warmAgain();
			}

			phase = Report.TRACING;
		}
	}

	private void report() throws IOException {
		Bytes bytes = (tasks == null ? report : taskReport).make(phase, channel.command);
		if (bytes.length <= Channel.MOST_REPORT - 8) {
			channel.write(bytes.array, bytes.length);
		}
	}

	private void takeOut() {
		if (tasks != null) {
			tasks.counters.end();
			takeOut(taskWeaving, taskReport);
			java.tprof.TaskHooks2.sink = null;
		}

		if (recorder != null) {
			takeOut(weaving, report);
			java.tprof.Hooks3.sink = null;
			recorder.detach();
		}
	}

	private static void takeOut(Weaving weaving, Report report) {
		weaving.unweave();
		report.end();
		pause(LAST_CALLS_MS);
	}

	private static void pause(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException ignored) {
			// Nothing of ours interrupts this thread.
		}
	}
}
