package tprof.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The points of a probe in the target's classes: puts them in, into classes that are loaded later too, and takes them out. */
final class TaskWeaving implements ClassFileTransformer {
	private static final String THREAD = "java.lang.Thread";
	private static final String OURS = "watching it would watch what tprof-top itself uses";

	private final Instrumentation instrumentation;
	private final TaskProbe probe;
	private final TaskGuard guard;
	private final Channel channel;
	private volatile boolean isOn;
	/** Seen at load: subclasses of what the probe names may be among them. */
	private volatile boolean hasNewClasses;
	final WovenClasses woven;
	/** Names of classes that points are about, their subclasses included where these are; and what those inherit from. */
	private final Set<String> meantNames = Collections.newSetFromMap(new ConcurrentHashMap<String, Boolean>());
	private final Map<String, Set<String>> inherited = new ConcurrentHashMap<String, Set<String>>();

	TaskWeaving(Instrumentation instrumentation, TaskProbe probe, TaskGuard guard, Channel channel) {
		this.instrumentation = instrumentation;
		this.probe = probe;
		this.guard = guard;
		this.channel = channel;
		woven = new WovenClasses(instrumentation);
	}

	void weave() {
		loadOfJdk();
		for (Class<?> type : instrumentation.getAllLoadedClasses()) {
			channel.goOn();
			learnNumbers(type);
			if (isMeant(type)) {
				meantNames.add(type.getName());
			}
		}

		isOn = true;
		instrumentation.addTransformer(this, true);
		woven.retransform(meant());
	}

	/** Classes of the JDK are loaded, not initialized, so that their subclasses are known from the start. */
	private void loadOfJdk() {
		for (TaskPoint point : probe.points) {
			if (Pattern.isJdk(point.className)) {
				try {
					Class.forName(point.className, false, null);
				} catch (Throwable notInThisVersion) {
					// The point is missing then.
				}
			}
		}
	}

	/** Looks for classes that were loaded since and are meant as subclasses. */
	void weaveNewClasses() {
		if (isOn && hasNewClasses) {
			hasNewClasses = false;
			Set<Class<?>> missed = meant();
			for (java.util.Iterator<Class<?>> each = missed.iterator(); each.hasNext();) {
				String name = each.next().getName();
				if (woven.has(name) || woven.isRefused(name)) {
					each.remove();
				}
			}

			woven.retransform(missed);
		}
	}

	void unweave() {
		if (isOn) {
			isOn = false;
			woven.retransform(woven.loaded());
			instrumentation.removeTransformer(this);
		}
	}

	/** Classes that a point names, and their subclasses where it means these too. */
	private Set<Class<?>> meant() {
		Set<Class<?>> classes = new HashSet<Class<?>>();
		for (Class<?> type : instrumentation.getAllLoadedClasses()) {
			if (isMeant(type) && WovenClasses.canChange(instrumentation, type)) {
				classes.add(type);
			}
		}

		return classes;
	}

	/** What hooks call before they know whether the thread is in our own code. */
	private static boolean isNever(String className) {
		return Choice.isNever(className) && !className.equals(THREAD) && !className.equals("java.lang.VirtualThread");
	}

	/** The same: of threads themselves only yield() has byte code, from JDK 19 on. */
	private static boolean isNever(TaskPoint point) {
		return isNever(point.className) || (point.className.equals(THREAD) && point.method.equals("yield"));
	}

	private boolean isMeant(Class<?> type) {
		if (probe.names(type.getName())) {
			return true;
		}

		boolean hasSubclassPoints = false;
		for (TaskPoint point : probe.points) {
			hasSubclassPoints |= point.isForSubclasses;
		}

		if (hasSubclassPoints) {
			Set<String> supers = Survey.supersOf(type);
			for (TaskPoint point : probe.points) {
				if (point.isForSubclasses && supers.contains(point.className)) {
					return true;
				}
			}
		}

		return false;
	}

	/** Constants that points name, as the class has them. */
	private void learnNumbers(Class<?> type) {
		for (TaskPoint point : probe.points) {
			if (point.number >= 0 && point.className.equals(type.getName())) {
				for (String name : point.names) {
					try {
						if (Character.isDigit(name.charAt(0)) || name.charAt(0) == '-') {
							point.found.add(Integer.parseInt(name));
						} else {
							java.lang.reflect.Field field = type.getDeclaredField(name);
							field.setAccessible(true);
							point.found.add(field.getInt(null));
						}
					} catch (Exception notInThisVersion) {
						// Other versions of the class have it.
					}
				}

				int[] values = new int[point.found.size()];
				int index = 0;
				for (int value : point.found) {
					values[index++] = value;
				}

				point.values = values;
			}
		}
	}

	@Override
	public byte[] transform(ClassLoader loader, String internalName, Class<?> type, ProtectionDomain domain, byte[] bytes) {
		channel.goOn();
		if (!isOn || internalName == null || (type != null && WovenClasses.isHidden(type)) || loader == TaskWeaving.class.getClassLoader()) {
			return null;
		}

		TaskWorker me = guard.enter();
		String name = internalName.replace('/', '.');
		try {
			if (type == null) {
				hasNewClasses = true;
				return weaveNew(name, bytes);
			}

			if (isMeant(type)) {
				inherited.put(name, Survey.supersOf(type));
			}

			return isMeant(type) ? weave(name, Survey.supersOf(type), bytes) : null;
		} catch (Throwable error) {
			woven.refuse(name, error.toString());
			return null;
		} finally {
			if (me != null) {
				guard.leave(me);
			}
		}
	}

	/** A class that is being loaded: those that it inherits from are most often known. Where not, it is looked at when it is there. */
	private byte[] weaveNew(String name, byte[] bytes) {
		boolean isNamed = probe.names(name);
		Set<String> supers = new HashSet<String>();
		for (String each : ClassFile.of(ClassFile.reader(bytes)).supers) {
			if (meantNames.contains(each)) {
				supers.addAll(inherited.containsKey(each) ? inherited.get(each) : Collections.<String>emptySet());
				supers.add(each);
			}
		}

		if (!isNamed && supers.isEmpty()) {
			return null;
		}

		meantNames.add(name);
		inherited.put(name, supers);
		return weave(name, supers, bytes);
	}

	private byte[] weave(String name, Set<String> supers, byte[] bytes) {
		if (isNever(name)) {
			if (probe.names(name)) {
				woven.refuse(name, OURS);
			}

			return null;
		}

		Map<String, List<TaskPoint>> points = new HashMap<String, List<TaskPoint>>();
		for (ClassFile.Method method : ClassFile.of(ClassFile.reader(bytes)).methods) {
			if (method.isBridge()) {
				continue;
			}

			for (TaskPoint point : probe.points) {
				if (isNever(point)) {
					if (point.className.equals(name)) {
						woven.refuse(name + "." + point.method, OURS);
					}
				} else if ((point.className.equals(name) || (point.isForSubclasses && supers.contains(point.className))) && point.isOf(method)) {
					String key = method.name + method.descriptor;
					List<TaskPoint> here = points.get(key);
					if (here == null) {
						points.put(key, here = new ArrayList<TaskPoint>());
					}

					here.add(point);
					point.woven++;
				}
			}
		}

		byte[] result = points.isEmpty() ? null : TaskWeaver.weave(bytes, points);
		woven.put(name, result == null ? 0 : points.size());
		return result;
	}

	/** Points that nothing was woven for: because their classes are not loaded, or have no such method. */
	List<TaskPoint> missing(boolean isLoaded) {
		List<TaskPoint> missing = new ArrayList<TaskPoint>();
		for (TaskPoint point : probe.points) {
			if (point.woven == 0 && !isNever(point) && !(isLoaded && point.isForSubclasses) && meantNames.contains(point.className) == isLoaded) {
				missing.add(point);
			}
		}

		return missing;
	}
}
