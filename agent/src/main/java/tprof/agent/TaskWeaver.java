package tprof.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Writes the calls of TaskHooks1 into methods: at the start, before each return, and where the method ends by an exception. What
 * an end needs of the parameters is kept in a local variable behind all others: the method may have changed them by then.
 */
final class TaskWeaver {
	private static final String HOOKS = "java/tprof/TaskHooks1";
	private static final String OBJECT = "java/lang/Object";
	private static final int NONE = -1;

	private TaskWeaver() {
	}

	/** The class with those methods woven: their points by name and descriptor. */
	static byte[] weave(byte[] bytes, final Map<String, List<TaskPoint>> points) {
		ClassReader reader = ClassFile.reader(bytes);
		final ClassWriter writer = new ClassWriter(reader, 0);
		reader.accept(new ClassVisitor(ClassFile.API, writer) {
			@Override
			public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
				final MethodVisitor to = super.visitMethod(access, name, descriptor, signature, exceptions);
				final List<TaskPoint> here = points.get(name + descriptor);
				if (here == null) {
					return to;
				}

				return new MethodNode(ClassFile.API, access, name, descriptor, signature, exceptions) {
					@Override
					public void visitEnd() {
						for (TaskPoint point : here) {
							if (point.isExit) {
								weaveExit(this, point);
							}
						}

						for (int index = here.size() - 1; index >= 0; index--) {
							if (!here.get(index).isExit) {
								instructions.insert(hook(this, here.get(index), NONE, NONE));
							}
						}

						accept(to);
					}
				};
			}
		}, ClassReader.EXPAND_FRAMES);
		byte[] woven = writer.toByteArray();
		ClassFile.setVersion(woven, ClassFile.version(bytes));
		return woven;
	}

	private static void weaveExit(MethodNode method, TaskPoint point) {
		boolean isConstructor = "<init>".equals(method.name);
		// A constructor's `this` is no object yet when it starts, and stays where it is.
		boolean isKept = !isConstructor && (point.source >= 0 || point.source == TaskPoint.THIS);
		int kept = isKept ? method.maxLocals : NONE;
		int keptNumber = point.number >= 0 ? method.maxLocals + (isKept ? 1 : 0) : NONE;
		for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
			int opcode = at.getOpcode();
			if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
				method.instructions.insertBefore(at, hook(method, point, kept, keptNumber));
			} else if (at instanceof FrameNode) {
				widen((FrameNode) at, method.maxLocals, isKept, keptNumber != NONE);
			}
		}

		LabelNode start = new LabelNode();
		InsnList entry = new InsnList();
		if (isKept) {
			entry.add(new VarInsnNode(Opcodes.ALOAD, point.source == TaskPoint.THIS ? 0 : slotOf(method, point.source)));
			entry.add(new VarInsnNode(Opcodes.ASTORE, kept));
		}

		if (keptNumber != NONE) {
			entry.add(new VarInsnNode(Opcodes.ILOAD, slotOf(method, point.number)));
			entry.add(new VarInsnNode(Opcodes.ISTORE, keptNumber));
		}

		entry.add(start);
		method.instructions.insert(entry);
		if (!isConstructor && point.source != TaskPoint.RESULT && !point.needsTrue) {
			handle(method, point, start, kept, keptNumber);
		}

		method.maxLocals += (isKept ? 1 : 0) + (keptNumber == NONE ? 0 : 1);
		method.maxStack = Math.max(method.maxStack, 1);
	}

	/** It ends by an exception. */
	private static void handle(MethodNode method, TaskPoint point, LabelNode start, int kept, int keptNumber) {
		LabelNode end = new LabelNode();
		LabelNode handler = new LabelNode();
		List<Object> locals = new ArrayList<Object>();
		for (int index = 0; index < method.maxLocals; index++) {
			locals.add(Opcodes.TOP);
		}

		if (kept != NONE) {
			locals.add(OBJECT);
		}

		if (keptNumber != NONE) {
			locals.add(Opcodes.INTEGER);
		}

		method.instructions.add(end);
		method.instructions.add(handler);
		method.instructions.add(new FrameNode(Opcodes.F_NEW, locals.size(), locals.toArray(), 1, new Object[] {"java/lang/Throwable"}));
		method.instructions.add(hook(method, point, kept, keptNumber));
		method.instructions.add(new InsnNode(Opcodes.ATHROW));
		method.tryCatchBlocks.add(new TryCatchBlockNode(start, end, handler, null));
	}

	/** The call for a point; `kept` and `keptNumber`: local variables with what the parameters were. */
	private static InsnList hook(MethodNode method, TaskPoint point, int kept, int keptNumber) {
		InsnList list = new InsnList();
		StringBuilder descriptor = new StringBuilder("(");
		int height = 2;
		if (point.needsTrue) {
			list.add(new InsnNode(Opcodes.DUP));
			descriptor.append('Z');
			height++;
		} else if (point.source == TaskPoint.RESULT) {
			list.add(new InsnNode(Opcodes.DUP));
		}

		if (point.number >= 0) {
			list.add(new VarInsnNode(Opcodes.ILOAD, keptNumber == NONE ? slotOf(method, point.number) : keptNumber));
			descriptor.append('I');
			height++;
		}

		if (point.source == TaskPoint.CURRENT) {
			list.add(new InsnNode(Opcodes.ACONST_NULL));
		} else if (point.source != TaskPoint.RESULT) {
			list.add(new VarInsnNode(Opcodes.ALOAD, kept != NONE ? kept : point.source == TaskPoint.THIS ? 0 : slotOf(method, point.source)));
		}

		list.add(new IntInsnNode(Opcodes.SIPUSH, point.id));
		String name = point.needsTrue ? (point.number >= 0 ? "onTrueNumber" : "onTrue") : point.number >= 0 ? "onNumber" : "on";
		list.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, name, descriptor + "Ljava/lang/Object;I)V", false));
		if (point.isHolder && (method.access & Opcodes.ACC_STATIC) == 0 && !point.isExit && !"<init>".equals(method.name)) {
			list.add(new VarInsnNode(Opcodes.ALOAD, 0));
			list.add(new IntInsnNode(Opcodes.SIPUSH, point.id));
			list.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, "seen", "(Ljava/lang/Object;I)V", false));
		}

		// Upon what a return has on the stack; it may be two words of which none is copied.
		method.maxStack = Math.max(method.maxStack, height + 2);
		return list;
	}

	private static int slotOf(MethodNode method, int parameter) {
		int slot = (method.access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
		Type[] types = Type.getArgumentTypes(method.desc);
		for (int index = 0; index < parameter; index++) {
			slot += types[index].getSize();
		}

		return slot;
	}

	/** Our local variables are set wherever a frame says what is. */
	private static void widen(FrameNode frame, int size, boolean hasObject, boolean hasNumber) {
		List<Object> locals = new ArrayList<Object>();
		int used = 0;
		for (Object local : frame.local) {
			locals.add(local);
			used += local == Opcodes.LONG || local == Opcodes.DOUBLE ? 2 : 1;
		}

		for (; used < size; used++) {
			locals.add(Opcodes.TOP);
		}

		if (hasObject) {
			locals.add(OBJECT);
		}

		if (hasNumber) {
			locals.add(Opcodes.INTEGER);
		}

		frame.local = locals;
	}
}
