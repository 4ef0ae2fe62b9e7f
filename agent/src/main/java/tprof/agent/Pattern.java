package tprof.agent;

import java.util.List;

/**
 * Which methods are meant: Class#method, Class.method, with * and ? in both (in a name without # they stand for dots too), or
 * @Annotation. A class without its package is one of any package; $ of inner classes may be a dot.
 */
final class Pattern {
	private static final String[] JDK = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

	final String text;
	private final String classGlob;
	private final String methodGlob;
	/** Null: it means none. */
	final String annotation;
	private final boolean isWhole;
	final boolean isOfJdk;
	private final boolean isSpecial;
	/** Of a pattern without #: up to its first wildcard. */
	private final String start;

	Pattern(String text) {
		this.text = text;
		int hash = text.indexOf('#');
		annotation = text.startsWith("@") ? text.substring(1) : null;
		isWhole = annotation == null && hash < 0;
		classGlob = isWhole || annotation != null ? text : text.substring(0, hash);
		methodGlob = isWhole || annotation != null ? "" : text.substring(hash + 1);
		isSpecial = text.indexOf('<') >= 0;
		int end = 0;
		while (end < classGlob.length() && classGlob.charAt(end) != '*' && classGlob.charAt(end) != '?') {
			end++;
		}

		start = classGlob.substring(0, end);
		isOfJdk = isJdk(start);
	}

	static boolean isJdk(String name) {
		for (String prefix : JDK) {
			if (name.startsWith(prefix)) {
				return true;
			}
		}

		return false;
	}

	boolean isExact() {
		return annotation == null && text.indexOf('*') < 0 && text.indexOf('?') < 0;
	}

	/** Whether methods of a class can match. Classes of the JDK only if the pattern begins as their names do. */
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

	/** The same by the class's name alone. */
	boolean mayName(String className) {
		return annotation == null && mayMatch(className);
	}

	/** What may be written for a class: with $ or a dot before inner ones, and without the package. */
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

	/** On a mismatch only the last star is moved: earlier ones need not be. */
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
