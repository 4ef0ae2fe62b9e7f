package tprof.agent;

import java.util.HashSet;
import java.util.Set;

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
	/** Methods of subclasses count too. */
	final boolean isForSubclasses;
	/** Only where the method returns true. */
	final boolean needsTrue;
	/** The parameter that must have one of `values`; -1: none. */
	final int number;
	/** Names of constants of the class, or numbers. */
	final String[] names;
	/** Those that were found. */
	final Set<Integer> found = new HashSet<Integer>();
	volatile int[] values = new int[0];
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

	boolean isOf(ClassFile.Method candidate) {
		return candidate.name.equals(method) && (descriptor == null || descriptor.equals(candidate.descriptor)) && candidate.hasCode() && fits(candidate);
	}

	/** Whether the method has the parameter that is the task. */
	private boolean fits(ClassFile.Method candidate) {
		boolean isStatic = (candidate.access & org.objectweb.asm.Opcodes.ACC_STATIC) != 0;
		org.objectweb.asm.Type[] parameters = org.objectweb.asm.Type.getArgumentTypes(candidate.descriptor);
		org.objectweb.asm.Type result = org.objectweb.asm.Type.getReturnType(candidate.descriptor);
		return (source != THIS || !isStatic)
				&& (source < 0 || (source < parameters.length && isObject(parameters[source])))
				&& (source != RESULT || isObject(result))
				&& (!needsTrue || result.getSort() == org.objectweb.asm.Type.BOOLEAN)
				&& (number < 0 || (number < parameters.length && parameters[number].getSort() == org.objectweb.asm.Type.INT));
	}

	private static boolean isObject(org.objectweb.asm.Type type) {
		return type.getSort() == org.objectweb.asm.Type.OBJECT || type.getSort() == org.objectweb.asm.Type.ARRAY;
	}

	boolean takes(int value) {
		for (int each : values) {
			if (each == value) {
				return true;
			}
		}

		return false;
	}
}
