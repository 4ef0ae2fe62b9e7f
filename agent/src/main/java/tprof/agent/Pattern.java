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
	private final String annotation;
	private final boolean isWhole;
	private final boolean isOfJdk;
	private final boolean isSpecial;
	/** Of a pattern without #: up to its first wildcard. */
	private final String start;

	private Pattern(String text) {
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

	static Pattern parse(String text) {
		return new Pattern(text);
	}

	static boolean isJdk(String name) {
		for (String prefix : JDK) {
			if (name.startsWith(prefix)) {
				return true;
			}
		}

		return false;
	}

	boolean isOfJdk() {
		return isOfJdk;
	}

	boolean isAnnotation() {
		return annotation != null;
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

		if (!isWhole) {
			return matchesClass(className);
		}

		return mayBegin(className) || mayBegin(className.replace('$', '.')) || mayBegin(simple(className)) || mayBegin(simple(className.replace('$', '.')));
	}

	private boolean mayBegin(String className) {
		String with = className + ".";
		return start.length() <= with.length() ? with.startsWith(start) : start.startsWith(with);
	}

	private boolean matchesClass(String className) {
		return glob(classGlob, className) || glob(classGlob, className.replace('$', '.'))
				|| (classGlob.indexOf('.') < 0 && (glob(classGlob, simple(className)) || glob(classGlob, simple(className.replace('$', '.')))));
	}

	/** Whether a method matches; the annotations are those of the method and of its class. */
	boolean matches(String className, String method, List<String> annotations) {
		if (!mayMatch(className) || (method.startsWith("<") && !isSpecial)) {
			return false;
		}

		if (annotation != null) {
			for (String name : annotations) {
				if (glob(annotation, name) || glob(annotation, name.replace('$', '.')) || glob(annotation, simple(name.replace('$', '.')))) {
					return true;
				}
			}

			return false;
		}

		if (!isWhole) {
			return glob(methodGlob, method) && matchesClass(className);
		}

		String dotted = className.replace('$', '.');
		return glob(classGlob, className + "." + method) || glob(classGlob, dotted + "." + method)
				|| glob(classGlob, simple(className) + "." + method) || glob(classGlob, simple(dotted) + "." + method);
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
