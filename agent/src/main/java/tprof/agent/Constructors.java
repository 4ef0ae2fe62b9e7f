package tprof.agent;

/**
 * Finds the constructors that a thread is still in. The verifier allows no handler around super(...) and this(...), so a
 * constructor that ends by an exception from there calls no hook; only the stack shows it.
 */
final class Constructors {
	private static final String HOOKS = "java.tprof.v5.Hooks";

	/** Returns how many constructors of these classes, the outermost first, the caller of the woven method is in. */
	static int open(String[] classes) {
		StackTraceElement[] stack = new Throwable().getStackTrace();
		int at = 0;
		while (at < stack.length && !HOOKS.equals(stack[at].getClassName())) {
			at++;
		}

		return open(classes, stack, at + 2);
	}

	/** Returns the same for a stack from an index on; all if the JVM gives no stack. */
	static int open(String[] classes, StackTraceElement[] stack, int from) {
		if (stack.length == 0) {
			return classes.length;
		}

		int found = 0;
		int left = classes.length;
		for (int at = from; at < stack.length && left > 0; at++) {
			if ("<init>".equals(stack[at].getMethodName())) {
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
