package tprof.agent;

import java.io.File;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.List;

/** One session, in a thread of its own: takes commands, weaves, reports, and takes everything out when nobody listens any more. */
final class Session implements Runnable {
	private static final long POLL_MS = 20;
	private static final long LOOK_MS = 1000;
	/** So many looks of our own clock without a heartbeat: the tool is gone. Wall time would count a long collection too. */
	private static final int MOST_STILL_LOOKS = 10;
	/** For calls that are about to end when the weaving is taken out. */
	private static final long LAST_CALLS_MS = 50;

	private final Instrumentation instrumentation;
	private final Channel channel;
	private Recorder recorder;
	private Weaving weaving;
	private Report report;
	private Survey survey;
	private int phase;
	private long periodMs = 1000;
	private Cost cost;
	private Overhead overhead;
	/** Null unless task states are asked for. */
	private TaskWork tasks;

	Session(String folder, Instrumentation instrumentation) throws Exception {
		this.instrumentation = instrumentation;
		channel = new Channel(new File(folder));
	}

	@Override
	public void run() {
		String lastWord = "";
		try {
			listen();
		} catch (IOException error) {
			lastWord = "file " + error.getMessage();
		} catch (Throwable error) {
			lastWord = error.toString();
		}

		try {
			takeOut();
			if (lastWord.isEmpty() && (report != null || tasks != null)) {
				phase = Report.OVER;
				report();
			}
		} catch (Throwable error) {
			lastWord = lastWord.isEmpty() ? error.toString() : lastWord;
		}

		if (!lastWord.isEmpty()) {
			channel.writeLastWord(lastWord);
		}

		try {
			channel.close();
		} catch (IOException ignored) {
			// Both files have no name any more.
		}
	}

	private void listen() throws IOException {
		long heartbeat = -1;
		int still = 0;
		long sinceLook = 0;
		long sinceReport = 0;
		while (true) {
			String text = channel.poll();
			if (text != null && text.startsWith(TaskWork.PHASE)) {
				begin(text);
				report();
				sinceReport = 0;
			} else if (text != null) {
				Command command = Command.parse(text);
				if (!obey(command)) {
					return;
				}

				report();
				sinceReport = 0;
			}

			pause(POLL_MS);
			sinceLook += POLL_MS;
			sinceReport += POLL_MS;
			if (sinceLook >= LOOK_MS) {
				sinceLook = 0;
				still = channel.heartbeat() == heartbeat ? still + 1 : 0;
				heartbeat = channel.heartbeat();
				if (still >= MOST_STILL_LOOKS) {
					return;
				}

				if (tasks != null) {
					tasks.look();
				}

				if (recorder != null) {
					recorder.sweep(report.totals);
					weaving.weaveNewClasses();
				}
			}

			if (sinceReport >= periodMs && phase == Report.TRACING) {
				sinceReport = 0;
				report();
				bound();
			}
		}
	}

	/** Follows tasks as a probe says; once a session. */
	private void begin(String text) {
		if (tasks == null) {
			tasks = new TaskWork(instrumentation, text, channel);
			periodMs = tasks.periodMs();
			tasks.begin();
			phase = Report.TRACING;
		}
	}

	/** False when all is over. */
	private boolean obey(Command command) {
		if (command.phase.equals("stop")) {
			return false;
		}

		if (recorder == null) {
			recorder = new Recorder(new Budget(command.nodes, 32 * 1024 * 1024), command.depth, command.keep);
			recorder.mute();
			weaving = new Weaving(instrumentation, recorder, channel);
			report = new Report(recorder);
		}

		periodMs = command.periodMs;
		Choice choice = new Choice(command);
		survey = Survey.of(instrumentation, choice, channel);
		phase = Math.max(phase, Report.SURVEYED);
		if (command.phase.equals("weave")) {
			boolean isFirst = cost == null;
			cost = isFirst ? new Cost() : cost;
			recorder.leastDuration = command.leastDuration;
			java.tprof.Hooks2.sink = recorder;
			weaving.weave(choice, survey);
			report.begin();
			if (isFirst) {
				cost.warmAgain();
			}

			overhead = new Overhead(command.mostOverhead, cost);
			phase = Report.TRACING;
		}

		return true;
	}

	private void bound() {
		if (overhead == null) {
			return;
		}

		cost.measure();
		List<Methods.Woven> expensive = overhead.tooMuch(report.totals, weaving.methods.all());
		if (!expensive.isEmpty()) {
			weaving.weaveAnew(expensive);
		}
	}

	private void report() throws IOException {
		Bytes bytes;
		if (tasks == null) {
			report.make(phase, channel.command(), survey, weaving);
			bytes = report.bytes;
		} else {
			bytes = tasks.report(phase, channel.command());
		}

		if (bytes.length <= Channel.MOST_REPORT - 8) {
			channel.write(bytes.array, bytes.length);
		}
	}

	private void takeOut() {
		if (tasks != null) {
			tasks.unweave();
			pause(LAST_CALLS_MS);
			java.tprof.TaskHooks1.sink = null;
		}

		if (weaving != null) {
			weaving.unweave();
			report.end();
			pause(LAST_CALLS_MS);
			java.tprof.Hooks2.sink = null;
			recorder.endThrown();
			recorder.letGo();
		}
	}

	private static void pause(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException ignored) {
			// Whoever interrupts us means nothing by it.
		}
	}
}
