package tprof.agent;

import java.lang.instrument.Instrumentation;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;

/** Weaves the points of a probe. */
final class TaskWeaving extends Weaving {
	private static final String THREAD = "java.lang.Thread";
	private static final String OURS = "watching it would watch what tprof-top itself uses";

	private final TaskProbe probe;
	/** Null after `drop`. */
	private volatile TaskWorkers workers;
	/** Classes that points apply to, and their supertypes. */
	private final Map<String, Set<String>> known = new ConcurrentHashMap<String, Set<String>>();

	TaskWeaving(Instrumentation instrumentation, TaskProbe probe, TaskWorkers workers, Channel channel,
			HeapBudget budget) {
		super(instrumentation, channel, budget);
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

	/** Loads classes of the JDK, without initializing them, so that their subclasses are known from the start. */
	private void loadOfJdk() {
		for (TaskPoint point : probe.points) {
			if (isNever(point.className)) {
				refuse(point.className, OURS);
			} else if (Pattern.isJdk(point.className)) {
				try {
					Class.forName(point.className, false, null);
				} catch (Throwable notInThisVersion) {
					// The point is reported as missing.
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

	/** Whether a point applies to the class, by its name or by a supertype's. If so, remembers its supertypes. */
	private boolean isMeant(Class<?> type) {
		boolean isNamed = probe.classNames.contains(type.getName());
		Set<String> supers = isNamed || !probe.superNames.isEmpty() ? Survey.supersOf(type) : Collections.<String>emptySet();
		boolean isMeant = isNamed || !Collections.disjoint(probe.superNames, supers);
		if (isMeant) {
			known.put(type.getName(), supers);
		}

		return isMeant;
	}

	/** Whether hooks call the class before they know whether the thread is in our own code. */
	private static boolean isNever(String className) {
		return Choice.isNever(className) && !className.equals(THREAD) && !className.equals("java.lang.VirtualThread");
	}

	/** Whether hooks call the point's method. Of Thread's, only yield() has byte code (JDK 19 and later). */
	private static boolean isNever(TaskPoint point) {
		return isNever(point.className) || (point.className.equals(THREAD) && point.method.equals("yield"));
	}

	@Override
	void drop() {
		super.drop();
		workers = null;
	}

	@Override
	Object enter() {
		TaskWorkers all = workers;
		return all == null ? null : all.enter();
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

	/** The same for a class being loaded, by its known supertypes. If some are unknown, `weaveNewClasses` finds it later. */
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

	/** Returns the points that are woven nowhere. `isLoaded`: those whose class is loaded, or those whose class is not. */
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
