package tprof.agent;

import java.lang.reflect.Field;
import java.util.Arrays;
import org.objectweb.asm.*;

/** A point of a probe: a method whose entry or exit moves a task to another state. */
final class TaskPoint {
	static final int CURRENT = -1;
	static final int THIS = -2;
	static final int RESULT = -3;

	final int id;
	final String className;
	final String method;
	/** Null: any. */
	final String descriptor;
	final boolean isExit;
	/** Number of a parameter, or one of the constants above. */
	final int source;
	/** Path from there to the task; null if that is the task. */
	final FieldPath path;
	final int state;
	/** Bits of the states that a task may come from. */
	final int from;
	/** A task in none of these states is a new one. */
	final boolean begins;
	final boolean isForSubclasses;
	/** Only if the method returns true. */
	final boolean needsTrue;
	/** Number of the parameter that must have one of the values; -1 for none. */
	final int number;
	/** Names of constants of the class, or numbers. */
	final String[] names;
	/** The values found. An array, as hooks read it before the thread is known to be in our own code. */
	private volatile int[] values = new int[0];
	/** Counters are read from its `this`. */
	boolean isHolder;
	/** Number of methods that it is woven into. */
	volatile int woven;

	TaskPoint(int id, String[] words) {
		this.id = id;
		className = words[1];
		method = words[2];
		descriptor = words[3].equals("*") ? null : words[3];
		isExit = words[4].equals("exit");
		source = words[5].equals("current") ? CURRENT : words[5].equals("this") ? THIS : words[5].equals("result") ? RESULT : Integer.parseInt(words[5]);
		path = words[6].equals("-") ? null : new FieldPath(words[6]);
		state = Integer.parseInt(words[7]);
		from = Integer.parseInt(words[8]);
		begins = words[9].indexOf('b') >= 0;
		isForSubclasses = words[9].indexOf('s') >= 0;
		needsTrue = words[9].indexOf('t') >= 0;
		number = Integer.parseInt(words[10]);
		names = words[11].equals("-") ? new String[0] : words[11].split(",");
	}

	/** Whether the method has the point's name, descriptor and kinds of parameters. */
	boolean isOf(ClassFile.Method candidate) {
		boolean isStatic = (candidate.access & Opcodes.ACC_STATIC) != 0;
		Type[] parameters = Type.getArgumentTypes(candidate.descriptor);
		Type result = Type.getReturnType(candidate.descriptor);
		return candidate.name.equals(method) && (descriptor == null || descriptor.equals(candidate.descriptor)) && candidate.hasCode()
				&& (source != THIS || !isStatic)
				&& (source < 0 || (source < parameters.length && isObject(parameters[source])))
				&& (source != RESULT || isObject(result))
				&& (!needsTrue || result.getSort() == Type.BOOLEAN)
				&& (number < 0 || (number < parameters.length && parameters[number].getSort() == Type.INT));
	}

	private static boolean isObject(Type type) {
		return type.getSort() == Type.OBJECT || type.getSort() == Type.ARRAY;
	}

	/** Reads the values of constants from a class that the point names; versions of the class may lack some. */
	void learnNumbers(Class<?> type) {
		for (String name : names) {
			try {
				if (Character.isDigit(name.charAt(0)) || name.charAt(0) == '-') {
					learn(Integer.parseInt(name));
				} else {
					Field field = type.getDeclaredField(name);
					field.setAccessible(true);
					learn(field.getInt(null));
				}
			} catch (Exception notInThisVersion) {
				// Another one may have it.
			}
		}
	}

	private void learn(int value) {
		if (!takes(value)) {
			int[] longer = Arrays.copyOf(values, values.length + 1);
			longer[values.length] = value;
			values = longer;
		}
	}

	/** Whether the point counts for this value of its parameter. */
	boolean takes(int value) {
		boolean takes = number < 0;
		for (int each : values) {
			takes |= each == value;
		}

		return takes;
	}
}
