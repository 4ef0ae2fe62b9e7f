package tprof.agent;

import java.lang.reflect.Field;
import java.util.Arrays;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Where a task goes from one state to the next. */
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
	/** A parameter's number, or one of the constants. */
	final int source;
	/** From there to the task; null: that is it. */
	final FieldPath path;
	final int state;
	/** Bits of the states that a task may come from. */
	final int from;
	/** A task that is in none of these is a new one. */
	final boolean begins;
	final boolean isForSubclasses;
	/** Only where the method returns true. */
	final boolean needsTrue;
	/** The parameter that must have one of the constants; -1: none. */
	final int number;
	/** Names of constants of the class, or numbers. */
	final String[] names;
	/** Those that were found: an array, as a program's thread looks there before it is known to be in our own code. */
	private volatile int[] values = new int[0];
	/** Its `this` is read for counters. */
	boolean isHolder;
	/** How many methods it is woven into. */
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

	/** Whether the method is one of those that are named, and has the parameters that are asked for. */
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

	/** Takes constants from a class that the point names: each version has some of them. */
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

	/** Whether the point counts where its parameter has that value. */
	boolean takes(int value) {
		boolean takes = number < 0;
		for (int each : values) {
			takes |= each == value;
		}

		return takes;
	}
}
