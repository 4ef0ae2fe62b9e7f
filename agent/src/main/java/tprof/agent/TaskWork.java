package tprof.agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Task states in a session: from the probe that the tool sends until all is taken out. */
final class TaskWork {
	static final String PHASE = "phase tasks";
	/** Where the JDK keeps what shipped probes read. */
	private static final String[] OPENED = {"java.lang", "java.util", "java.util.concurrent", "jdk.internal.vm"};

	private final Instrumentation instrumentation;
	private final Tasks tasks;
	private final TaskGuard guard;
	private final TaskWeaving weaving;
	private final TaskReport report;

	TaskWork(Instrumentation instrumentation, String text, Channel channel) {
		this.instrumentation = instrumentation;
		TaskProbe probe = TaskProbe.parse(text);
		tasks = new Tasks(probe);
		guard = new TaskGuard(tasks);
		weaving = new TaskWeaving(instrumentation, probe, guard, channel);
		report = new TaskReport(tasks);
	}

	int periodMs() {
		return tasks.probe.periodMs;
	}

	void begin() {
		open(instrumentation);
		tasks.workers.mute();
		tasks.counters.begin(instrumentation.getAllLoadedClasses());
		java.tprof.TaskHooks1.sink = guard;
		weaving.weave();
	}

	void look() {
		tasks.sweep();
		weaving.weaveNewClasses();
	}

	Bytes report(int phase, long command) {
		report.make(phase, command, weaving);
		return report.bytes;
	}

	/** Nothing is called any more once the sink is gone, a moment after this. */
	void unweave() {
		weaving.unweave();
		tasks.counters.end();
		report.end();
	}

	/** Lets our own module, and nobody else, read fields of the JDK; nothing to do on 8. */
	private static void open(Instrumentation instrumentation) {
		try {
			Class<?> module = Class.forName("java.lang.Module");
			Method moduleOf = Class.class.getMethod("getModule");
			Object base = moduleOf.invoke(Object.class);
			Set<String> packages = packagesOf(module, base);
			Map<String, Set<?>> opens = new HashMap<String, Set<?>>();
			for (String name : OPENED) {
				if (packages.contains(name)) {
					opens.put(name, Collections.singleton(moduleOf.invoke(TaskWork.class)));
				}
			}

			Instrumentation.class.getMethod("redefineModule", module, Set.class, Map.class, Map.class, Set.class, Map.class)
					.invoke(instrumentation, base, Collections.emptySet(), Collections.emptyMap(), opens, Collections.emptySet(), Collections.emptyMap());
		} catch (Exception isJava8) {
			// There are no modules.
		}
	}

	@SuppressWarnings("unchecked")
	private static Set<String> packagesOf(Class<?> module, Object of) throws Exception {
		return (Set<String>) module.getMethod("getPackages").invoke(of);
	}
}
