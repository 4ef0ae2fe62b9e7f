package tprof.agent;

import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;

/** Which methods of which classes the patterns mean. Where one means an abstract method, those that implement it are meant too. */
final class Choice {
	/** The JVM's own core, and what we call ourselves. */
	private static final Set<String> NEVER = new HashSet<String>(Arrays.asList(
			"java.lang.Object", "java.lang.String", "java.lang.Class", "java.lang.System", "java.lang.Math", "java.lang.Long", "java.lang.Integer",
			"java.lang.Number", "java.lang.Thread", "java.lang.ThreadLocal", "java.lang.ThreadGroup", "java.lang.Throwable", "java.lang.VirtualThread",
			"java.lang.BaseVirtualThread", "java.lang.ThreadBuilders",
			"java.util.concurrent.atomic.AtomicInteger", "sun.misc.Unsafe"));
	private static final String[] NEVER_BELOW = {"java.tprof.", "java.lang.invoke.", "java.lang.ref.", "java.lang.instrument.", "sun.instrument.",
			"jdk.internal.misc.", "jdk.internal.vm.", "tprof.stub.", "tprof.agent."};

	final Command command;
	/** Abstract methods that are meant, by their class: name and number of parameters. */
	private volatile Map<String, Set<String>> abstracts = new HashMap<String, Set<String>>();
	/** What classes inherit from directly, by name: in several class loaders that is most often the same; if not, a class is woven once it is loaded. */
	private final Map<String, List<String>> direct = new ConcurrentHashMap<String, List<String>>();

	Choice(Command command) {
		this.command = command;
	}

	static boolean isNever(String className) {
		String outer = className.indexOf('$') < 0 ? className : className.substring(0, className.indexOf('$'));
		if (NEVER.contains(outer)) {
			return true;
		}

		for (String prefix : NEVER_BELOW) {
			if (className.startsWith(prefix)) {
				return true;
			}
		}

		return false;
	}

	boolean mayMatch(String className) {
		return command.mayMatch(className) && !isNever(className);
	}

	/** A class of the JDK though no pattern names one, such as a proxy: it is not traced as what implements an interface either. */
	boolean isLeftToJdk(String className) {
		return Pattern.isJdk(className) && !command.mayBeOfJdk();
	}

	boolean hasAbstracts() {
		return !abstracts.isEmpty();
	}

	/** Looks which abstract methods of these classes are meant. */
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
	 * Names of all supertypes of a class that is being loaded, read from their files, as they may not be loaded before it. Which of
	 * their abstract methods are meant is learnt.
	 */
	Set<String> supersOf(ClassLoader loader, ClassReader type) {
		Set<String> found = new HashSet<String>();
		List<String> open = ClassFile.supersOf(type);
		while (!open.isEmpty()) {
			String name = open.remove(open.size() - 1);
			// What the JDK's classes inherit from is of the JDK too.
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

	/** The abstract methods that a class with these supertypes implements. */
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

	private static boolean isMeant(ClassFile file, ClassFile.Method method, List<Pattern> patterns) {
		for (Pattern pattern : patterns) {
			if (pattern.matches(file, method)) {
				return true;
			}
		}

		return false;
	}

	private static String shape(String name, String descriptor) {
		int count = org.objectweb.asm.Type.getArgumentTypes(descriptor).length;
		return name + "/" + count;
	}
}
