package tprof.agent;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.objectweb.asm.Opcodes;

/** The loaded classes with methods that are meant. Read from their files: nothing is loaded, nothing changed. */
final class Survey {
	private static final int MOST_NAMED = 20;
	private static final int MOST_NEAREST = 3;

	/** To be retransformed. A class without a file is among them when its name fits. */
	final List<Class<?>> classes = new ArrayList<Class<?>>();
	int methods;
	final List<String> named = new ArrayList<String>();
	/** What cannot be woven though a pattern names it, and why. */
	final Map<String, String> refused = new TreeMap<String, String>();
	/** Patterns that mean no method of what is loaded, and the names nearest to them. */
	final Map<Pattern, List<String>> unmatched = new HashMap<Pattern, List<String>>();
	/** Those of them that a loaded class fits: it has no such method. */
	final Set<Pattern> withoutMethod = new HashSet<Pattern>();

	static Survey of(Instrumentation instrumentation, Choice choice, Channel channel) {
		Survey survey = new Survey();
		Class<?>[] loaded = instrumentation.getAllLoadedClasses();
		Map<Class<?>, ClassFile> files = survey.filesOf(loaded, choice, channel);
		choice.learn(files.values());
		Set<Pattern> matched = new HashSet<Pattern>();
		for (Class<?> type : loaded) {
			channel.goOn();
			survey.look(type, files, choice, instrumentation, matched);
		}

		for (List<Pattern> list : java.util.Arrays.asList(choice.command.patterns, choice.command.under)) {
			for (Pattern pattern : list) {
				if (!matched.contains(pattern)) {
					survey.unmatched.put(pattern, nearest(pattern, files, loaded));
					for (Class<?> type : files.keySet()) {
						if (!pattern.isAnnotation() && pattern.mayMatch(type.getName())) {
							survey.withoutMethod.add(pattern);
						}
					}
				}
			}
		}

		return survey;
	}

	private Map<Class<?>, ClassFile> filesOf(Class<?>[] loaded, Choice choice, Channel channel) {
		Map<Class<?>, ClassFile> files = new HashMap<Class<?>, ClassFile>();
		for (Class<?> type : loaded) {
			if (!type.isArray() && !type.isPrimitive() && !WovenClasses.isHidden(type) && choice.command.mayMatch(type.getName())) {
				channel.goOn();
				ClassFile file = ClassFile.of(type);
				if (file != null) {
					files.put(type, file);
				}
			}
		}

		return files;
	}

	private void look(Class<?> type, Map<Class<?>, ClassFile> files, Choice choice, Instrumentation instrumentation, Set<Pattern> matched) {
		if (type.isArray() || type.isPrimitive()) {
			return;
		}

		String name = type.getName();
		boolean mayMatch = choice.command.mayMatch(name);
		Set<String> implemented = choice.hasAbstracts() ? choice.implemented(supersOf(type)) : java.util.Collections.<String>emptySet();
		if (!mayMatch && implemented.isEmpty()) {
			return;
		}

		if (WovenClasses.isHidden(type)) {
			if (!implemented.isEmpty()) {
				noteLambda(name);
			}

			return;
		}

		ClassFile file = files.get(type);
		if (file == null && !mayMatch) {
			file = ClassFile.of(type);
		}

		if (file == null) {
			if (WovenClasses.canChange(instrumentation, type) && !Choice.isNever(name)) {
				classes.add(type);
			}

			return;
		}

		note(file, choice, matched);
		List<ClassFile.Method> chosen = choice.methodsOf(file, implemented);
		if (chosen.isEmpty()) {
			return;
		}

		if (!WovenClasses.canChange(instrumentation, type)) {
			refused.put(name, "the JVM does not let it be changed");
			return;
		}

		classes.add(type);
		methods += chosen.size();
		for (ClassFile.Method method : chosen) {
			if (named.size() < MOST_NAMED) {
				named.add(name + "." + method.name);
			}
		}
	}

	private void noteLambda(String name) {
		int end = name.indexOf("$$Lambda");
		String code = end < 0 ? "" : "; the code of a lambda can: " + name.substring(0, end) + "#lambda$*";
		refused.put("lambdas", "lambdas and method references themselves cannot be traced" + code);
	}

	/** Which patterns mean methods of a class, and which of these cannot be woven. */
	private void note(ClassFile file, Choice choice, Set<Pattern> matched) {
		for (ClassFile.Method method : file.methods) {
			for (List<Pattern> list : java.util.Arrays.asList(choice.command.patterns, choice.command.under)) {
				for (Pattern pattern : list) {
					if (!pattern.mayMatch(file.name)) {
						continue;
					}

					List<String> annotations = new ArrayList<String>(method.annotations);
					annotations.addAll(file.annotations);
					if (pattern.matches(file.name, method.name, annotations)) {
						matched.add(pattern);
						if (Choice.isNever(file.name)) {
							refused.put(file.name, "tracing it would trace what tracing itself uses");
						} else if ((method.access & Opcodes.ACC_NATIVE) != 0 && pattern.isExact()) {
							refused.put(file.name + "." + method.name, "a native method has no byte code; trace what calls it");
						}
					}
				}
			}
		}
	}

	static Set<String> supersOf(Class<?> type) {
		Set<String> names = new HashSet<String>();
		List<Class<?>> open = new ArrayList<Class<?>>();
		open.add(type);
		while (!open.isEmpty()) {
			Class<?> each = open.remove(open.size() - 1);
			Class<?> parent = each.getSuperclass();
			if (parent != null && names.add(parent.getName())) {
				open.add(parent);
			}

			for (Class<?> face : each.getInterfaces()) {
				if (names.add(face.getName())) {
					open.add(face);
				}
			}
		}

		return names;
	}

	/** Names of methods, where a class fits; otherwise of classes. */
	private static List<String> nearest(Pattern pattern, Map<Class<?>, ClassFile> files, Class<?>[] loaded) {
		String wanted = pattern.text.replace('#', '.');
		String method = wanted.substring(wanted.lastIndexOf('.') + 1);
		TreeMap<Integer, Set<String>> byDistance = new TreeMap<Integer, Set<String>>();
		if (!pattern.isAnnotation()) {
			for (Map.Entry<Class<?>, ClassFile> entry : files.entrySet()) {
				if (pattern.mayMatch(entry.getKey().getName())) {
					for (ClassFile.Method each : entry.getValue().methods) {
						offer(byDistance, Distance.of(method, each.name), entry.getKey().getName() + "." + each.name);
					}
				}
			}

			if (byDistance.isEmpty()) {
				String owner = wanted.lastIndexOf('.') < 0 ? wanted : wanted.substring(0, wanted.lastIndexOf('.'));
				for (Class<?> type : loaded) {
					String name = type.getName();
					if (!type.isArray() && !type.isPrimitive() && name.indexOf('/') < 0 && !Choice.isNever(name)) {
						String simple = Pattern.simple(name);
						int close = Math.min(Distance.of(Pattern.simple(owner), simple), Distance.of(method, simple));
						offer(byDistance, simple.equals(method) ? -1 : close, name + ".*");
					}
				}
			}
		}

		List<String> names = new ArrayList<String>();
		for (Set<String> some : byDistance.values()) {
			for (String name : some) {
				if (names.size() < MOST_NEAREST) {
					names.add(name);
				}
			}
		}

		return names;
	}

	private static void offer(TreeMap<Integer, Set<String>> byDistance, int distance, String name) {
		if (!Distance.isFar(distance)) {
			Set<String> names = byDistance.get(distance);
			if (names == null) {
				byDistance.put(distance, names = new java.util.TreeSet<String>());
			}

			names.add(name);
		}
	}
}
