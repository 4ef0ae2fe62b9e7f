package tprof.agent;

/**
 * Which constructors a thread is still in. The verifier allows no handler around super(...) and this(...), so that a constructor
 * that ends by an exception from there ends without a word; only the stack tells.
 */
final class Constructors {
	private static final String HOOKS = "java.tprof.Hooks3";
	private static final String NAME = "<init>";

	/** How many of the constructors of these classes, the outermost first, the caller of the method that calls a hook is in. */
	static int open(String[] classes) {
		StackTraceElement[] stack = new Throwable().getStackTrace();
		int at = 0;
		while (at < stack.length && !HOOKS.equals(stack[at].getClassName())) {
			at++;
		}

		return open(classes, stack, at + 2);
	}

	/** The same of a whole stack. All of them if the JVM gives none. */
	static int open(String[] classes, StackTraceElement[] stack, int from) {
		if (stack.length == 0) {
			return classes.length;
		}

		int found = 0;
		int left = classes.length;
		for (int at = from; at < stack.length && left > 0; at++) {
			if (NAME.equals(stack[at].getMethodName())) {
				for (int index = left - 1; index >= 0; index--) {
					if (classes[index].equals(stack[at].getClassName())) {
						found++;
						left = index;
						break;
					}
				}
			}
		}

		return found;
	}
}
