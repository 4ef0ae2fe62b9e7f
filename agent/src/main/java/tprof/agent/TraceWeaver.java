package tprof.agent;

import java.util.*;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.*;

/**
 * Adds calls of Hooks to methods: at the start, before each return, and in a handler that rethrows. The result of
 * enter() is kept in a local variable. If an end is missed, the next end of an outer call ends the call.
 */
final class TraceWeaver extends Weaver<Methods.Woven> {
	private static final String HOOKS = "java/tprof/v5/Hooks";
	private static final String CALL = "java/tprof/v5/Call";
	private static final List<Object> OURS = Collections.<Object>singletonList(CALL);

	@Override
	void weave(MethodNode method, Methods.Woven woven) {
		int call = method.maxLocals;
		LabelNode start = new LabelNode();
		LabelNode end = new LabelNode();
		boolean isConstructor = isConstructor(method);
		MethodInsnNode superCall = isConstructor ? superCall(method) : null;
		widen(method, OURS);
		for (AbstractInsnNode at : returns(method)) {
			method.instructions.insertBefore(at, call("end", call, false));
		}

		InsnList entry = new InsnList();
		entry.add(woven.id <= Short.MAX_VALUE ? new IntInsnNode(Opcodes.SIPUSH, woven.id) : new LdcInsnNode(woven.id));
		entry.add(push(woven.isThinned));
		entry.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, "enter", "(IZ)L" + CALL + ";", false));
		entry.add(new VarInsnNode(Opcodes.ASTORE, call));
		entry.add(start);
		if (isConstructor && superCall == null) {
			entry.add(call("constructing", call, true));
		}

		method.instructions.insert(entry);
		method.instructions.add(end);
		if (!isConstructor) {
			handle(method, start, end, call("end", call, true), Collections.emptyList(), OURS);
		} else if (superCall != null) {
			// Before the call of another constructor `this` is uninitialized: the verifier rejects one handler for the code before
			// and after it, and any for the call itself, around which hooks are called instead.
			LabelNode before = new LabelNode();
			LabelNode called = new LabelNode();
			woven.superCall = superCall.owner.replace('/', '.');
			boolean mayThrow = !"java/lang/Object".equals(superCall.owner);
			method.instructions.insertBefore(superCall, mayThrow ? call("constructing", call, true) : new InsnList());
			method.instructions.insertBefore(superCall, before);
			method.instructions.insert(superCall, mayThrow ? call("constructing", call, false) : new InsnList());
			method.instructions.insert(superCall, called);
			handle(method, start, before, call("end", call, true), Collections.<Object>singletonList(Opcodes.UNINITIALIZED_THIS), OURS);
			handle(method, called, end, call("end", call, true), Collections.emptyList(), OURS);
		}

		method.maxLocals = call + 1;
		// On top of what a return, the call of a constructor or a handler has on the stack.
		method.maxStack = Math.max(method.maxStack, 1) + 2;
	}

	private static InsnList call(String hook, int local, boolean is) {
		InsnList list = new InsnList();
		list.add(new VarInsnNode(Opcodes.ALOAD, local));
		list.add(push(is));
		list.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, hook, "(L" + CALL + ";Z)V", false));
		return list;
	}

	private static InsnNode push(boolean is) {
		return new InsnNode(is ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
	}

	/** Returns a constructor's call of super(...) or this(...); null if it is not certain. */
	private MethodInsnNode superCall(MethodNode method) {
		int made = 0;
		for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
			if (at.getOpcode() == Opcodes.NEW) {
				made++;
			} else if (at.getOpcode() == Opcodes.INVOKESPECIAL && "<init>".equals(((MethodInsnNode) at).name)) {
				if (made == 0) {
					String of = ((MethodInsnNode) at).owner;
					return of.equals(owner) || of.equals(parent) ? (MethodInsnNode) at : null;
				}

				made--;
			}
		}

		return null;
	}
}
