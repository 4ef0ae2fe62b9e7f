package tprof.agent;

import java.lang.ref.WeakReference;
import java.lang.reflect.*;

/** A path such as `queue.size()` from an object: fields, and methods without parameters. */
final class FieldPath {
	private static final class Step {
		final String name;
		final boolean isMethod;
		/** The last look-up: class and field or method change together, so they are one object. */
		volatile Found found;

		Step(String name) {
			isMethod = name.endsWith("()");
			this.name = isMethod ? name.substring(0, name.length() - 2) : name;
		}
	}

	private static final class Found extends WeakReference<Class<?>> {
		/** Null if the class has none that is accessible. */
		final AccessibleObject accessible;

		Found(Class<?> type, AccessibleObject accessible) {
			super(type);
			this.accessible = accessible;
		}
	}

	private final String text;
	private final Step[] steps;
	/** It was followed to its end once. */
	private volatile boolean works;
	private volatile String fault;

	FieldPath(String text) {
		this.text = text;
		String[] names = text.split("\\.");
		steps = new Step[names.length];
		for (int index = 0; index < names.length; index++) {
			steps[index] = new Step(names[index]);
		}
	}

	/** Returns what is wrong with the path; null if nothing is known to be. */
	String fault() {
		return works ? null : fault;
	}

	void expectNumber(Object value) {
		if (value != null && !(value instanceof Number)) {
			works = false;
			fault = "\"" + text + "\" leads to a " + value.getClass().getName() + ", not to a number";
		}
	}

	/** Returns the path's value; null if it has none. `first`: class of `start`, or of the static field or method that the path begins with. */
	Object from(Object start, Class<?> first) {
		Object at = start;
		Class<?> type = first;
		try {
			for (Step step : steps) {
				if (type == null) {
					break;
				}

				Found found = step.found;
				if (found == null || found.get() != type) {
					step.found = found = new Found(type, find(type, step));
				}

				if (found.accessible == null) {
					if (fault == null) {
						fault = "\"" + text + "\": no " + (step.isMethod ? "method " : "field ") + step.name + " that can be read in " + type.getName();
					}

					return null;
				}

				at = step.isMethod ? ((Method) found.accessible).invoke(at) : ((Field) found.accessible).get(at);
				type = at == null ? null : at.getClass();
			}

			if (!works) {
				works = true;
			}

			return at;
		} catch (OutOfMemoryError full) {
			throw full;
		} catch (Throwable unreadable) {
			return null;
		}
	}

	private static AccessibleObject find(Class<?> type, Step step) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			try {
				AccessibleObject accessible = step.isMethod ? each.getDeclaredMethod(step.name) : each.getDeclaredField(step.name);
				accessible.setAccessible(true);
				return accessible;
			} catch (Exception notHere) {
				// A superclass may have it.
			} catch (LinkageError incomplete) {
				return null;
			}
		}

		try {
			return step.isMethod ? type.getMethod(step.name) : null;
		} catch (Exception notThere) {
			return null;
		}
	}
}
