package tprof.agent;

import java.util.*;
import org.objectweb.asm.*;
import org.objectweb.asm.tree.*;

/**
 * Adds calls of hooks to methods. What the call at the end needs is kept in additional local variables, so that existing
 * instructions stay as they are. Other methods are copied unchanged.
 */
abstract class Weaver<T> {
	/** Internal names of the class and its superclass. */
	String owner;
	String parent;

	abstract void weave(MethodNode method, T chosen);

	/** Returns the class with these methods woven. `chosen`: by name and descriptor. */
	final byte[] weave(byte[] bytes, final Map<String, T> chosen) {
		ClassReader reader = ClassFile.reader(bytes);
		final ClassWriter writer = new ClassWriter(reader, 0);
		owner = reader.getClassName();
		parent = reader.getSuperName();
		reader.accept(new ClassVisitor(ClassFile.API, writer) {
			@Override
			public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
				final MethodVisitor to = super.visitMethod(access, name, descriptor, signature, exceptions);
				final T here = chosen.get(name + descriptor);
				if (here == null) {
					return to;
				}

				return new MethodNode(ClassFile.API, access, name, descriptor, signature, exceptions) {
					@Override
					public void visitEnd() {
						weave(this, here);
						accept(to);
					}
				};
			}
		}, ClassReader.EXPAND_FRAMES);
		byte[] woven = writer.toByteArray();
		ClassFile.setVersion(woven, ClassFile.version(bytes));
		return woven;
	}

	static boolean isConstructor(MethodNode method) {
		return "<init>".equals(method.name);
	}

	static List<AbstractInsnNode> returns(MethodNode method) {
		List<AbstractInsnNode> returns = new ArrayList<AbstractInsnNode>();
		for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
			if (at.getOpcode() >= Opcodes.IRETURN && at.getOpcode() <= Opcodes.RETURN) {
				returns.add(at);
			}
		}

		return returns;
	}

	/** Adds our local variables to all stack map frames. */
	static void widen(MethodNode method, List<Object> ours) {
		for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
			if (at instanceof FrameNode) {
				((FrameNode) at).local = locals(((FrameNode) at).local, method.maxLocals, ours);
			}
		}
	}

	/** Adds a handler for exceptions between the labels. `first`: types of the first local variables there. */
	static void handle(MethodNode method, LabelNode start, LabelNode end, InsnList hook, List<Object> first, List<Object> ours) {
		LabelNode handler = new LabelNode();
		Object[] locals = locals(first, method.maxLocals, ours).toArray();
		method.instructions.add(handler);
		method.instructions.add(new FrameNode(Opcodes.F_NEW, locals.length, locals, 1, new Object[] {"java/lang/Throwable"}));
		method.instructions.add(hook);
		method.instructions.add(new InsnNode(Opcodes.ATHROW));
		method.tryCatchBlocks.add(new TryCatchBlockNode(start, end, handler, null));
	}

	private static List<Object> locals(List<Object> first, int size, List<Object> ours) {
		List<Object> locals = new ArrayList<Object>(first);
		int used = 0;
		for (Object local : first) {
			used += local == Opcodes.LONG || local == Opcodes.DOUBLE ? 2 : 1;
		}

		for (; used < size; used++) {
			locals.add(Opcodes.TOP);
		}

		locals.addAll(ours);
		return locals;
	}
}
