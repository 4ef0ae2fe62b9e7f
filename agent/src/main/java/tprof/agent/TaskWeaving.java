package tprof.agent;

import java.lang.instrument.Instrumentation;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;

/** The points of a probe in the target's classes. */
final class TaskWeaving extends Weaving {
	private static final String THREAD = "java.lang.Thread";
	private static final String OURS = "watching it would watch what tprof-top itself uses";

	private final TaskProbe probe;
	private final TaskWorkers workers;
	/** Classes that points are about, their subclasses included where these are, and what they inherit from. */
	private final Map<String, Set<String>> known = new ConcurrentHashMap<String, Set<String>>();

	TaskWeaving(Instrumentation instrumentation, TaskProbe probe, TaskWorkers workers, Channel channel) {
		super(instrumentation, channel);
		this.probe = probe;
		this.workers = workers;
	}

	void weave() {
		loadOfJdk();
		for (Class<?> type : instrumentation.getAllLoadedClasses()) {
			channel.goOn();
			for (TaskPoint point : probe.points) {
				if (point.number >= 0 && point.className.equals(type.getName())) {
					point.learnNumbers(type);
				}
			}
		}

		begin(meant());
	}

	/** Classes of the JDK are loaded, not initialized, so that their subclasses are known from the start. */
	private void loadOfJdk() {
		for (TaskPoint point : probe.points) {
			if (isNever(point.className)) {
				refuse(point.className, OURS);
			} else if (Pattern.isJdk(point.className)) {
				try {
					Class.forName(point.className, false, null);
				} catch (Throwable notInThisVersion) {
					// The point is missing then.
				}
			}
		}
	}

	@Override
	Collection<Class<?>> meant() {
		List<Class<?>> classes = new ArrayList<Class<?>>();
		for (Class<?> type : loaded(instrumentation)) {
			if (isMeant(type) && canChange(instrumentation, type)) {
				classes.add(type);
			}
		}

		return classes;
	}

	/** Whether a point names the class, or a superclass and means what inherits from it too. What the class inherits from is known then. */
	private boolean isMeant(Class<?> type) {
		boolean isNamed = probe.classNames.contains(type.getName());
		Set<String> supers = isNamed || !probe.superNames.isEmpty() ? Survey.supersOf(type) : Collections.<String>emptySet();
		boolean isMeant = isNamed || !Collections.disjoint(probe.superNames, supers);
		if (isMeant) {
			known.put(type.getName(), supers);
		}

		return isMeant;
	}

	/** What hooks call before they know whether the thread is in our own code. */
	private static boolean isNever(String className) {
		return Choice.isNever(className) && !className.equals(THREAD) && !className.equals("java.lang.VirtualThread");
	}

	/** The same: of threads themselves only yield() has byte code, from JDK 19 on. */
	private static boolean isNever(TaskPoint point) {
		return isNever(point.className) || (point.className.equals(THREAD) && point.method.equals("yield"));
	}

	@Override
	Object enter() {
		return workers.enter();
	}

	@Override
	void leave(Object entered) {
		if (entered != null) {
			((TaskWorker) entered).leave();
		}
	}

	@Override
	byte[] weave(ClassLoader loader, String name, Class<?> type, byte[] bytes) {
		ClassFile file = ClassFile.of(ClassFile.reader(bytes));
		if (isNever(name) || !(type == null ? isMeant(file) : isMeant(type))) {
			return null;
		}

		Map<String, List<TaskPoint>> points = new HashMap<String, List<TaskPoint>>();
		for (TaskPoint point : probe.points) {
			boolean isNamed = point.className.equals(name);
			if (!isNamed && !(point.isForSubclasses && known.get(name).contains(point.className))) {
				continue;
			}

			if (isNever(point) && isNamed) {
				refuse(name + "." + point.method, OURS);
			}

			for (ClassFile.Method method : file.methods) {
				if (!isNever(point) && !method.isBridge() && point.isOf(method)) {
					String key = method.name + method.descriptor;
					points.putIfAbsent(key, new ArrayList<TaskPoint>());
					points.get(key).add(point);
					point.woven++;
				}
			}
		}

		byte[] result = points.isEmpty() ? null : new TaskWeaver().weave(bytes, points);
		return put(loader, name, points.size()) ? result : null;
	}

	/** The same of a class that is being loaded: those that it inherits from are most often known. Where not, it is looked at when it is there. */
	private boolean isMeant(ClassFile file) {
		Set<String> supers = new HashSet<String>();
		for (String each : file.supers) {
			Set<String> above = known.get(each);
			if (above != null) {
				supers.add(each);
				supers.addAll(above);
			}
		}

		boolean isMeant = probe.classNames.contains(file.name) || !supers.isEmpty();
		if (isMeant) {
			known.put(file.name, supers);
		}

		return isMeant;
	}

	/** Points that nothing was woven for: because their classes are not loaded, or have no such method. */
	List<TaskPoint> missing(boolean isLoaded) {
		List<TaskPoint> missing = new ArrayList<TaskPoint>();
		for (TaskPoint point : probe.points) {
			if (point.woven == 0 && !isNever(point) && !(isLoaded && point.isForSubclasses) && known.containsKey(point.className) == isLoaded) {
				missing.add(point);
			}
		}

		return missing;
	}
}
