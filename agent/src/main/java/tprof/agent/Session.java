package tprof.agent;

import java.io.*;
import java.lang.instrument.Instrumentation;

/** A session, on a thread of its own: executes commands, writes reports, and restores all classes when the tool is gone. */
final class Session implements Runnable {
	private static final String STOP = "phase stop";
	private static final String TASKS = "phase tasks";
	private static final long POLL_MS = 20;
	private static final long LOOK_MS = 1000;
	/** How often it looks at what is free in the heap: a program may fill it quickly. */
	private static final long ROOM_MS = 100;
	/** Time for calls that are about to end when classes are restored. */
	private static final long LAST_CALLS_MS = 50;
	/** How soon, how late at the most, and how many times the classes are restored again if there was no memory for it. */
	private static final long AGAIN_MS = 500;
	private static final long AGAIN_AT_MOST_MS = 30_000;
	private static final int MOST_TRIES = 120;
	/** Heap for restoring the classes, set aside from the start; and for our own classes. */
	private static final int RESERVE = 512 * 1024;
	private static final int OURS = 512 * 1024;

	private final Instrumentation instrumentation;
	private final Channel channel;
	private final HeapRoom room;
	/** Null before the first command. */
	private HeapBudget budget;
	private byte[] reserve;
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

	Session(String folder, Instrumentation instrumentation, HeapRoom room) throws Exception {
		this.instrumentation = instrumentation;
		this.room = room;
		channel = new Channel(new File(folder));
	}

	@Override
	public void run() {
		Throwable fault = null;
		try {
			listen();
		} catch (Throwable error) {
			fault = error;
		}

		for (int tries = 0; tries < MOST_TRIES; tries++) {
			try {
				end(fault);
				return;
			} catch (Throwable full) {
				// There was no memory even to load a class of ours: the program may free some.
				fault = fault == null ? full : fault;
				awaitRoom();
			}
		}
	}

	private void end(Throwable ended) {
		Throwable fault = ended;
		if (fault instanceof OutOfMemoryError || fault instanceof NoRoomException) {
			dropAll();
		}

		for (int tries = 0; !takeOut() && tries < MOST_TRIES; tries++) {
			awaitRoom();
		}

		try {
			if (fault == null && (report != null || tasks != null)) {
				phase = Report.OVER;
				report();
			}
		} catch (Throwable error) {
			fault = error;
		}

		try {
			if (fault != null) {
				channel.writeLastWord(lastWord(fault));
			}

			channel.close();
		} catch (Throwable ignored) {
			// There is no memory even for that, or both files have been removed already: the classes are restored.
		}
	}

	/** Waits for room in the heap, for some time: each try in a full one would make the JVM collect in vain. */
	private static void awaitRoom() {
		long waited = 0;
		do {
			Pause.forMs(AGAIN_MS);
			waited += AGAIN_MS;
		} while (HeapRoom.isFull() && waited < AGAIN_AT_MOST_MS);
	}

	/** Frees what the session has on the heap, so that the classes can be restored. */
	private void dropAll() {
		// First. A class that has not been in use yet is not touched here: to load it takes memory.
		reserve = null;
		if (tasks != null) {
			java.tprof.v5.TaskHooks.sink = null;
			tasks.counters.end();
		}

		if (taskWeaving != null) {
			taskWeaving.drop();
		}

		if (weaving != null) {
			java.tprof.v5.Hooks.sink = null;
			weaving.drop();
		}

		try {
			if (recorder != null) {
				recorder.detach();
			}
		} catch (OutOfMemoryError full) {
			// Calls in progress keep the recorder until they end.
		}

		recorder = null;
		report = null;
		tasks = null;
		taskReport = null;
		overhead = null;
	}

	private static String lastWord(Throwable fault) {
		if (fault instanceof OutOfMemoryError) {
			return "memory out";
		}

		return fault instanceof IOException ? "file " + fault.getMessage() : fault.toString();
	}

	private void listen() throws IOException {
		long sinceLook = 0;
		long sinceRoom = 0;
		long sinceReport = 0;
		while (true) {
			String text = channel.poll();
			if (text != null) {
				if (text.startsWith(STOP)) {
					return;
				}

				beginBudget();
				if (text.startsWith(TASKS)) {
					follow(TaskProbe.parse(text));
				} else {
					trace(new Command(text));
				}

				report();
				sinceReport = 0;
			}

			Pause.forMs(POLL_MS);
			checkMemory();
			sinceLook += POLL_MS;
			sinceRoom += POLL_MS;
			sinceReport += POLL_MS;
			if (sinceRoom >= ROOM_MS && budget != null) {
				sinceRoom = 0;
				room.check(budget);
			}

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

	private void beginBudget() {
		if (budget == null) {
			budget = room.budget();
			budget.take(RESERVE + OURS);
			reserve = new byte[RESERVE];
		}
	}

	/** Throws OutOfMemoryError if a thread of the application had one in our code. */
	private void checkMemory() {
		if (budget != null && budget.hasFailed() || recorder != null && recorder.isOutOfMemory
				|| tasks != null && tasks.isOutOfMemory) {
			throw new OutOfMemoryError();
		}
	}

	/** Starts following tasks; only once in a session. */
	private void follow(TaskProbe probe) {
		if (tasks == null) {
			tasks = new Tasks(probe, budget);
			taskWeaving = new TaskWeaving(instrumentation, probe, tasks.workers, channel, budget);
			taskReport = new TaskReport(tasks, taskWeaving);
			periodMs = probe.periodMs;
			tasks.workers.mute();
			tasks.counters.begin(instrumentation.getAllLoadedClasses());
			java.tprof.v5.TaskHooks.sink = tasks;
			taskWeaving.weave();
			phase = Report.TRACING;
		}
	}

	/** Looks up what the patterns match, and weaves it if the command says so. */
	private void trace(Command command) {
		if (recorder == null) {
			recorder = new Recorder(budget, command.keep);
			recorder.mute();
			weaving = new TraceWeaving(instrumentation, recorder, channel);
			report = new TraceReport(recorder, weaving);
		}

		periodMs = command.periodMs;
		Choice choice = new Choice(command);
		report.survey = new Survey(instrumentation, choice, channel, budget);
		phase = Math.max(phase, Report.SURVEYED);
		if (command.phase.equals("weave")) {
			boolean isFirst = overhead == null;
			overhead = isFirst ? new Overhead() : overhead;
			overhead.mostPercent = command.mostOverhead;
			recorder.leastDuration = command.leastDuration;
			java.tprof.v5.Hooks.sink = recorder;
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

	/** Restores all classes; returns false if there is no memory for it now. */
	private boolean takeOut() {
		try {
			if (tasks != null) {
				tasks.counters.end();
			}

			if (taskWeaving != null) {
				takeOut(taskWeaving, taskReport);
				java.tprof.v5.TaskHooks.sink = null;
			}

			if (weaving != null) {
				takeOut(weaving, report);
				java.tprof.v5.Hooks.sink = null;
			}

			if (recorder != null) {
				recorder.detach();
			}

			return true;
		} catch (OutOfMemoryError full) {
			return false;
		}
	}

	private static void takeOut(Weaving weaving, Report report) {
		weaving.unweave();
		if (report != null) {
			report.end();
			Pause.forMs(LAST_CALLS_MS);
		}
	}
}
