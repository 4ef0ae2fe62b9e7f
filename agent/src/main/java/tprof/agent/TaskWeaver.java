package tprof.agent;

import java.util.*;
import org.objectweb.asm.*;
import org.objectweb.asm.tree.*;

/**
 * Adds calls of TaskHooks to methods: at the start, before each return, and in a handler for exceptions. Parameters that
 * an exit needs are copied at the start, as the method may change them.
 */
final class TaskWeaver extends Weaver<List<TaskPoint>> {
	private static final String HOOKS = "java/tprof/v5/TaskHooks";
	private static final int NONE = -1;

	@Override
	void weave(MethodNode method, List<TaskPoint> points) {
		// On top of what a return or a handler has on the stack.
		method.maxStack += 5;
		for (TaskPoint point : points) {
			if (point.isExit) {
				weaveExit(method, point);
			}
		}

		for (int index = points.size() - 1; index >= 0; index--) {
			TaskPoint point = points.get(index);
			if (!point.isExit) {
				method.instructions.insert(hook(method, point, slotOf(method, point.source), slotOf(method, point.number)));
			}
		}
	}

	private static void weaveExit(MethodNode method, TaskPoint point) {
		List<Object> ours = new ArrayList<Object>();
		InsnList entry = new InsnList();
		int task = slotOf(method, point.source);
		// A constructor's `this` is uninitialized at the start, and never changes.
		if (task != NONE && !isConstructor(method)) {
			entry.add(new VarInsnNode(Opcodes.ALOAD, task));
			task = method.maxLocals;
			entry.add(new VarInsnNode(Opcodes.ASTORE, task));
			ours.add("java/lang/Object");
		}

		int number = slotOf(method, point.number);
		if (number != NONE) {
			entry.add(new VarInsnNode(Opcodes.ILOAD, number));
			number = method.maxLocals + ours.size();
			entry.add(new VarInsnNode(Opcodes.ISTORE, number));
			ours.add(Opcodes.INTEGER);
		}

		widen(method, ours);
		for (AbstractInsnNode at : returns(method)) {
			method.instructions.insertBefore(at, hook(method, point, task, number));
		}

		LabelNode start = new LabelNode();
		entry.add(start);
		method.instructions.insert(entry);
		if (!isConstructor(method) && point.source != TaskPoint.RESULT && !point.needsTrue) {
			LabelNode end = new LabelNode();
			method.instructions.add(end);
			handle(method, start, end, hook(method, point, task, number), Collections.emptyList(), ours);
		}

		method.maxLocals += ours.size();
	}

	/** Returns the call for a point. `task`, `number`: their local variables, or NONE. */
	private static InsnList hook(MethodNode method, TaskPoint point, int task, int number) {
		InsnList list = new InsnList();
		if (point.needsTrue || point.source == TaskPoint.RESULT) {
			list.add(new InsnNode(Opcodes.DUP));
		}

		if (point.source != TaskPoint.RESULT) {
			list.add(task == NONE ? new InsnNode(Opcodes.ACONST_NULL) : new VarInsnNode(Opcodes.ALOAD, task));
		}

		list.add(new InsnNode(point.needsTrue ? Opcodes.SWAP : Opcodes.ICONST_1));
		list.add(number == NONE ? new InsnNode(Opcodes.ICONST_0) : new VarInsnNode(Opcodes.ILOAD, number));
		list.add(new IntInsnNode(Opcodes.SIPUSH, point.id));
		list.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, "on", "(Ljava/lang/Object;ZII)V", false));
		if (point.isHolder && (method.access & Opcodes.ACC_STATIC) == 0 && !point.isExit && !isConstructor(method)) {
			list.add(new VarInsnNode(Opcodes.ALOAD, 0));
			list.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, "seen", "(Ljava/lang/Object;)V", false));
		}

		return list;
	}

	/** Returns the local variable of a parameter or `this`, or NONE. */
	private static int slotOf(MethodNode method, int parameter) {
		if (parameter < 0) {
			return parameter == TaskPoint.THIS ? 0 : NONE;
		}

		int slot = (method.access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
		Type[] types = Type.getArgumentTypes(method.desc);
		for (int index = 0; index < parameter; index++) {
			slot += types[index].getSize();
		}

		return slot;
	}
}
