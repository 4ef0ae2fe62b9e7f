package tprof.agent;

import java.util.List;

/**
 * A pattern for methods: Class#method or Class.method, with * and ? in both (without # they match dots too), or @Annotation. A
 * class without a package matches in any package; the $ of inner classes may be a dot.
 */
final class Pattern {
	private static final String[] JDK = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

	final String text;
	private final String classGlob;
	private final String methodGlob;
	/** Null if the pattern is not an annotation. */
	final String annotation;
	private final boolean isWhole;
	final boolean isOfJdk;
	private final boolean isSpecial;
	/** The class glob up to its first wildcard. */
	private final String start;

	Pattern(String text) {
		this.text = text;
		int hash = text.indexOf('#');
		annotation = text.startsWith("@") ? text.substring(1) : null;
		isWhole = annotation == null && hash < 0;
		classGlob = isWhole || annotation != null ? text : text.substring(0, hash);
		methodGlob = isWhole || annotation != null ? "" : text.substring(hash + 1);
		isSpecial = text.indexOf('<') >= 0;
		start = classGlob.split("[*?]", 2)[0];
		isOfJdk = isJdk(start);
	}

	static boolean isJdk(String name) {
		return startsWithAny(name, JDK);
	}

	static boolean startsWithAny(String name, String[] prefixes) {
		for (String prefix : prefixes) {
			if (name.startsWith(prefix)) {
				return true;
			}
		}

		return false;
	}

	boolean isExact() {
		return annotation == null && text.indexOf('*') < 0 && text.indexOf('?') < 0;
	}

	/** Whether methods of a class may match. The JDK's classes match only if the pattern starts like their names. */
	boolean mayMatch(String className) {
		if (!isOfJdk && isJdk(className)) {
			return false;
		}

		if (annotation != null) {
			return true;
		}

		for (String name : namesOf(className)) {
			if (isWhole ? mayBegin(name) : glob(classGlob, name)) {
				return true;
			}
		}

		return false;
	}

	/** Whether methods of a class may match by the class's name. */
	boolean mayName(String className) {
		return annotation == null && mayMatch(className);
	}

	/** Returns the ways to write a class: with $ or a dot before inner classes, with or without the package. */
	private String[] namesOf(String className) {
		String dotted = className.replace('$', '.');
		boolean hasPackage = !isWhole && classGlob.indexOf('.') >= 0;
		return hasPackage ? new String[] {className, dotted} : new String[] {className, dotted, simple(className), simple(dotted)};
	}

	private boolean mayBegin(String className) {
		String with = className + ".";
		return start.length() <= with.length() ? with.startsWith(start) : start.startsWith(with);
	}

	boolean matches(ClassFile file, ClassFile.Method method) {
		if (!mayMatch(file.name) || (method.name.startsWith("<") && !isSpecial)) {
			return false;
		}

		if (annotation != null) {
			return hasAnnotation(file.annotations) || hasAnnotation(method.annotations);
		}

		for (String name : namesOf(file.name)) {
			if (isWhole ? glob(classGlob, name + "." + method.name) : glob(methodGlob, method.name) && glob(classGlob, name)) {
				return true;
			}
		}

		return false;
	}

	private boolean hasAnnotation(List<String> names) {
		for (String name : names) {
			String dotted = name.replace('$', '.');
			if (glob(annotation, name) || glob(annotation, dotted) || glob(annotation, simple(dotted))) {
				return true;
			}
		}

		return false;
	}

	static String simple(String className) {
		return className.substring(className.lastIndexOf('.') + 1);
	}

	/** On a mismatch only the last star needs to match more. */
	static boolean glob(String pattern, String text) {
		int at = 0;
		int star = -1;
		int resume = 0;
		int index = 0;
		while (index < text.length()) {
			if (at < pattern.length() && pattern.charAt(at) == '*') {
				star = at++;
				resume = index;
			} else if (at < pattern.length() && (pattern.charAt(at) == '?' || pattern.charAt(at) == text.charAt(index))) {
				at++;
				index++;
			} else if (star >= 0) {
				at = star + 1;
				index = ++resume;
			} else {
				return false;
			}
		}

		while (at < pattern.length() && pattern.charAt(at) == '*') {
			at++;
		}

		return at == pattern.length();
	}
}
