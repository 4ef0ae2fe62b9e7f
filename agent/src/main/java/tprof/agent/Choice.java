package tprof.agent;

import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.*;

/** The methods that match the patterns. A pattern that matches an abstract method includes its implementations. */
final class Choice {
	/** The core of the JVM, and what the hooks call. */
	private static final Set<String> NEVER = new HashSet<String>(Arrays.asList(
			"java.lang.Object", "java.lang.String", "java.lang.Class", "java.lang.System", "java.lang.Math", "java.lang.Long", "java.lang.Integer",
			"java.lang.Number", "java.lang.Thread", "java.lang.ThreadLocal", "java.lang.ThreadGroup", "java.lang.Throwable", "java.lang.VirtualThread",
			"java.lang.BaseVirtualThread", "java.lang.ThreadBuilders",
			"java.util.concurrent.atomic.AtomicInteger", "sun.misc.Unsafe"));
	private static final String[] NEVER_BELOW = {"java.tprof.", "java.lang.invoke.", "java.lang.ref.", "java.lang.instrument.", "sun.instrument.",
			"jdk.internal.misc.", "jdk.internal.vm.", "tprof.stub.", "tprof.agent."};

	final Command command;
	/** Matching abstract methods (name and number of parameters) by class. */
	private volatile Map<String, Set<String>> abstracts = new HashMap<String, Set<String>>();
	/** Direct supertypes of classes by name. Class loaders may differ: then a class is woven after it is loaded. */
	private final Map<String, List<String>> direct = new ConcurrentHashMap<String, List<String>>();

	Choice(Command command) {
		this.command = command;
	}

	static boolean isNever(String className) {
		String outer = className.indexOf('$') < 0 ? className : className.substring(0, className.indexOf('$'));
		return NEVER.contains(outer) || Pattern.startsWithAny(className, NEVER_BELOW);
	}

	boolean mayMatch(String className) {
		return command.mayMatch(className) && !isNever(className);
	}

	/** Whether a class is of the JDK, such as a proxy, and no pattern names the JDK: then it is not an implementation either. */
	boolean isLeftToJdk(String className) {
		return Pattern.isJdk(className) && !command.mayBeOfJdk();
	}

	boolean hasAbstracts() {
		return !abstracts.isEmpty();
	}

	/** Adds the matching abstract methods of these classes. */
	synchronized void learn(Collection<ClassFile> files) {
		Map<String, Set<String>> found = new HashMap<String, Set<String>>(abstracts);
		for (ClassFile file : files) {
			for (ClassFile.Method method : file.methods) {
				if ((method.access & Opcodes.ACC_ABSTRACT) != 0 && isMeant(file, method, command.all)) {
					found.putIfAbsent(file.name, new HashSet<String>());
					found.get(file.name).add(shape(method.name, method.descriptor));
				}
			}
		}

		abstracts = found;
	}

	/**
	 * Returns the names of all supertypes of a class that is being loaded, read from their files: they must not be loaded
	 * before it. Also learns their matching abstract methods.
	 */
	Set<String> supersOf(ClassLoader loader, ClassReader type) {
		Set<String> found = new HashSet<String>();
		List<String> open = ClassFile.supersOf(type);
		while (!open.isEmpty()) {
			String name = open.remove(open.size() - 1);
			// Supertypes of the JDK's classes are of the JDK too.
			if (found.add(name) && !isLeftToJdk(name)) {
				List<String> above = direct.get(name);
				if (above == null) {
					above = read(loader, name);
					direct.put(name, above);
				}

				open.addAll(above);
			}
		}

		return found;
	}

	private List<String> read(ClassLoader loader, String name) {
		ClassReader type = ClassFile.reader(loader, name);
		if (type == null) {
			return Collections.emptyList();
		}

		if (mayMatch(name)) {
			learn(Collections.singleton(ClassFile.of(type)));
		}

		return ClassFile.supersOf(type);
	}

	/** Returns the matching abstract methods of these supertypes. */
	Set<String> implemented(Collection<String> supers) {
		Map<String, Set<String>> known = abstracts;
		Set<String> shapes = new HashSet<String>();
		if (!known.isEmpty()) {
			for (String each : supers) {
				Set<String> methods = known.get(each);
				if (methods != null) {
					shapes.addAll(methods);
				}
			}
		}

		return shapes;
	}

	List<ClassFile.Method> methodsOf(ClassFile file, Set<String> implemented) {
		List<ClassFile.Method> chosen = new ArrayList<ClassFile.Method>();
		if (!isNever(file.name)) {
			for (ClassFile.Method method : file.methods) {
				if (method.hasCode() && !method.isBridge()
						&& (isMeant(file, method, command.all)
								|| ((method.access & Opcodes.ACC_STATIC) == 0 && implemented.contains(shape(method.name, method.descriptor))))) {
					chosen.add(method);
				}
			}
		}

		return chosen;
	}

	boolean isHead(ClassFile file, ClassFile.Method method) {
		return command.under.isEmpty() || isMeant(file, method, command.under);
	}

	/** Whether a pattern names a class or matches one of its methods. */
	boolean isOfInterest(ClassFile file) {
		for (Pattern pattern : command.all) {
			if (pattern.mayName(file.name)) {
				return true;
			}
		}

		for (ClassFile.Method method : file.methods) {
			if (isMeant(file, method, command.all)) {
				return true;
			}
		}

		return false;
	}

	private static boolean isMeant(ClassFile file, ClassFile.Method method, List<Pattern> patterns) {
		for (Pattern pattern : patterns) {
			if (pattern.matches(file, method)) {
				return true;
			}
		}

		return false;
	}

	private static String shape(String name, String descriptor) {
		return name + "/" + Type.getArgumentTypes(descriptor).length;
	}
}
