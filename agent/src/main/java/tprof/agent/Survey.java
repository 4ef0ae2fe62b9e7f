package tprof.agent;

import java.lang.instrument.Instrumentation;
import java.util.*;
import org.objectweb.asm.Opcodes;

/** The loaded classes with matching methods, found from their files: loads and changes nothing. */
final class Survey {
	private static final int MOST_NAMED = 20;
	private static final int MOST_REFUSED = 500;

	/** To be retransformed. Includes a class without a file if its name matches. */
	final List<Class<?>> classes = new ArrayList<Class<?>>();
	/** Their names: copies in several class loaders count once. */
	final Set<String> classNames = new HashSet<String>();
	int methods;
	final List<String> named = new ArrayList<String>();
	/** What a pattern matches but cannot be woven, and why. */
	final Map<String, String> refused = new TreeMap<String, String>();
	/** Of what is refused: classes with a loop that runs, or in which threads are deep. */
	final Set<Class<?>> inUse = new HashSet<Class<?>>();
	/** Patterns that match no loaded method, and the most similar names. */
	final Map<Pattern, List<String>> unmatched = new HashMap<Pattern, List<String>>();
	/** Those of them that match a loaded class, which has no such method. */
	final Set<Pattern> withoutMethod = new HashSet<Pattern>();

	private final Choice choice;
	private final Set<Pattern> matched = new HashSet<Pattern>();
	/** Files of classes whose names match, or that have methods that match. */
	private final Map<Class<?>, ClassFile> files = new HashMap<Class<?>, ClassFile>();
	/** Classes whose names may match, but whose files could not be read. */
	private final Set<Class<?>> unreadable = new HashSet<Class<?>>();

	/** Throws NoRoomException if the patterns match more than the budget has room for. */
	Survey(Instrumentation instrumentation, Choice choice, Channel channel, HeapBudget budget) {
		this.choice = choice;
		int taken = 0;
		Collection<Class<?>> loaded = Weaving.loaded(instrumentation);
		for (Class<?> type : loaded) {
			if (!Weaving.isHidden(type) && choice.command.mayMatch(type.getName())) {
				channel.goOn();
				ClassFile file = ClassFile.of(type);
				if (file == null) {
					unreadable.add(type);
				} else if (choice.isOfInterest(file)) {
					if (!budget.take(file.bytes())) {
						throw new NoRoomException("matches");
					}

					taken += file.bytes();
					files.put(type, file);
				}
			}
		}

		choice.learn(files.values());
		for (Class<?> type : loaded) {
			channel.goOn();
			look(type, instrumentation);
		}

		for (Pattern pattern : choice.command.all) {
			if (!matched.contains(pattern)) {
				unmatched.put(pattern, nearest(pattern, loaded));
				for (Class<?> type : files.keySet()) {
					if (pattern.mayName(type.getName())) {
						withoutMethod.add(pattern);
					}
				}
			}
		}

		files.clear();
		budget.giveBack(taken);
	}

	private void look(Class<?> type, Instrumentation instrumentation) {
		String name = type.getName();
		boolean mayMatch = files.containsKey(type) || unreadable.contains(type);
		Set<String> implemented = choice.hasAbstracts() ? choice.implemented(supersOf(type)) : Collections.<String>emptySet();
		if ((!mayMatch && implemented.isEmpty()) || choice.isLeftToJdk(name)) {
			return;
		}

		if (Weaving.isHidden(type)) {
			if (!implemented.isEmpty()) {
				int end = name.indexOf("$$Lambda");
				String code = end < 0 ? "" : "; the code of a lambda can: " + name.substring(0, end) + "#lambda$*";
				refuse("lambdas", "lambdas and method references themselves cannot be traced" + code);
			}

			return;
		}

		boolean canChange = Weaving.canChange(instrumentation, type);
		ClassFile file = mayMatch ? files.get(type) : ClassFile.of(type);
		if (file == null) {
			if (canChange && !Choice.isNever(name)) {
				classes.add(type);
				classNames.add(name);
				for (Pattern pattern : choice.command.all) {
					if (pattern.mayName(name)) {
						matched.add(pattern);
					}
				}
			}

			return;
		}

		note(file);
		List<ClassFile.Method> chosen = choice.methodsOf(file, implemented);
		String deep = chosen.isEmpty() ? null : choice.command.deepIn(name);
		String loop = chosen.isEmpty() ? null : RunningLoops.loopIn(type, choice.command.running);
		if (!chosen.isEmpty() && !canChange) {
			refuse(name, "the JVM does not let it be changed");
		} else if (loop != null) {
			inUse.add(type);
			refuse(name, RunningLoops.reason(loop));
		} else if (deep != null) {
			inUse.add(type);
			refuse(name, deep + " calls itself more than a thousand times: its calls would be interpreted at first, and need more"
					+ " stack than the thread may have; --running-loops traces the class even so");
		} else if (!chosen.isEmpty()) {
			classes.add(type);
			if (classNames.add(name)) {
				methods += chosen.size();
				for (ClassFile.Method method : chosen.subList(0, Math.min(chosen.size(), MOST_NAMED - named.size()))) {
					named.add(name + "." + method.name);
				}
			}
		}
	}

	private void refuse(String name, String reason) {
		if (refused.size() < MOST_REFUSED) {
			refused.put(name, reason);
		}
	}

	/** Notes which patterns match methods of a class, and which of these cannot be woven. */
	private void note(ClassFile file) {
		for (ClassFile.Method method : file.methods) {
			for (Pattern pattern : choice.command.all) {
				if (pattern.matches(file, method)) {
					matched.add(pattern);
					if (Choice.isNever(file.name)) {
						refuse(file.name, "tracing it would trace what tracing itself uses");
					} else if ((method.access & Opcodes.ACC_NATIVE) != 0 && pattern.isExact()) {
						refuse(file.name + "." + method.name, "a native method has no byte code; trace what calls it");
					}
				}
			}
		}
	}

	static Set<String> supersOf(Class<?> type) {
		Set<String> names = new HashSet<String>();
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			addInterfaces(each, names);
			names.add(each.getName());
		}

		names.remove(type.getName());
		return names;
	}

	private static void addInterfaces(Class<?> type, Set<String> to) {
		for (Class<?> each : type.getInterfaces()) {
			if (to.add(each.getName())) {
				addInterfaces(each, to);
			}
		}
	}

	/** Returns similar names: of methods if a class matches, otherwise of classes. */
	private List<String> nearest(Pattern pattern, Collection<Class<?>> loaded) {
		Nearest nearest = new Nearest();
		String wanted = pattern.text.replace('#', '.');
		String method = Pattern.simple(wanted);
		String owner = Pattern.simple(wanted.indexOf('.') < 0 ? wanted : wanted.substring(0, wanted.lastIndexOf('.')));
		for (ClassFile file : files.values()) {
			if (pattern.mayName(file.name)) {
				for (ClassFile.Method each : file.methods) {
					nearest.offer(method, each.name, file.name + "." + each.name);
				}
			}
		}

		if (nearest.isEmpty() && pattern.annotation == null) {
			for (Class<?> type : loaded) {
				String name = type.getName();
				if (!Weaving.isHidden(type) && !Choice.isNever(name)) {
					nearest.offer(owner, Pattern.simple(name), name + ".*");
					nearest.offer(method, Pattern.simple(name), name + ".*");
				}
			}
		}

		return nearest.names();
	}
}
