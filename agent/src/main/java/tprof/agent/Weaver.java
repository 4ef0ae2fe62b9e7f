package tprof.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Writes the calls of Hooks2 into methods: at the start, before each return, and in a handler around all of it that throws on
 * what it caught. What enter() gave is kept in a local variable behind all others, so that no instruction changes, and an end
 * that was missed is made up for by the next one. Methods that are not woven are copied as they are.
 */
final class Weaver {
	private static final String HOOKS = "java/tprof/Hooks2";
	private static final String CALL = "java/tprof/Call2";

	private Weaver() {
	}

	/** The class with those methods woven: by name and descriptor. */
	static byte[] weave(byte[] bytes, final Map<String, Methods.Woven> chosen) {
		ClassReader reader = ClassFile.reader(bytes);
		final ClassWriter writer = new ClassWriter(reader, 0);
		reader.accept(new ClassVisitor(ClassFile.API, writer) {
			private String owner;
			private String parent;

			@Override
			public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
				owner = name;
				parent = superName;
				super.visit(version, access, name, signature, superName, interfaces);
			}

			@Override
			public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
				final MethodVisitor to = super.visitMethod(access, name, descriptor, signature, exceptions);
				final Methods.Woven woven = chosen.get(name + descriptor);
				if (woven == null) {
					return to;
				}

				return new MethodNode(ClassFile.API, access, name, descriptor, signature, exceptions) {
					@Override
					public void visitEnd() {
						weave(this, woven, owner, parent);
						accept(to);
					}
				};
			}
		}, ClassReader.EXPAND_FRAMES);
		byte[] woven = writer.toByteArray();
		ClassFile.setVersion(woven, ClassFile.version(bytes));
		return woven;
	}

	private static void weave(MethodNode method, Methods.Woven woven, String owner, String parent) {
		int call = method.maxLocals;
		LabelNode start = new LabelNode();
		LabelNode end = new LabelNode();
		boolean isConstructor = "<init>".equals(method.name);
		MethodInsnNode superCall = isConstructor ? superCall(method, owner, parent) : null;
		for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
			int opcode = at.getOpcode();
			if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
				method.instructions.insertBefore(at, call("exit", call));
			} else if (at instanceof FrameNode) {
				widen((FrameNode) at, call);
			}
		}

		InsnList entry = new InsnList();
		entry.add(push(woven.id));
		entry.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, woven.isThinned ? "enterSome" : "enter", "(I)L" + CALL + ";", false));
		entry.add(new VarInsnNode(Opcodes.ASTORE, call));
		entry.add(start);
		if (isConstructor && superCall == null) {
			entry.add(call("constructing", call));
		}

		method.instructions.insert(entry);
		method.instructions.add(end);
		if (!isConstructor) {
			handle(method, start, end, call, Opcodes.TOP);
		} else if (superCall != null) {
			// Up to the call of another constructor `this` has another type: a handler for both would not be verified, nor would
			// one for the call itself, of which the thread's record is told instead.
			LabelNode before = new LabelNode();
			LabelNode called = new LabelNode();
			woven.superCall = superCall.owner.replace('/', '.');
			boolean mayThrow = !"java/lang/Object".equals(superCall.owner);
			method.instructions.insertBefore(superCall, mayThrow ? call("constructing", call) : new InsnList());
			method.instructions.insertBefore(superCall, before);
			method.instructions.insert(superCall, mayThrow ? call("constructed", call) : new InsnList());
			method.instructions.insert(superCall, called);
			handle(method, start, before, call, Opcodes.UNINITIALIZED_THIS);
			handle(method, called, end, call, Opcodes.TOP);
		}

		method.maxLocals = call + 1;
		method.maxStack = Math.max(method.maxStack + 1, 2);
	}

	private static InsnList call(String hook, int local) {
		InsnList list = new InsnList();
		list.add(new VarInsnNode(Opcodes.ALOAD, local));
		list.add(new MethodInsnNode(Opcodes.INVOKESTATIC, HOOKS, hook, "(L" + CALL + ";)V", false));
		return list;
	}

	private static AbstractInsnNode push(int id) {
		return id <= Short.MAX_VALUE ? new org.objectweb.asm.tree.IntInsnNode(Opcodes.SIPUSH, id) : new LdcInsnNode(id);
	}

	private static void handle(MethodNode method, LabelNode start, LabelNode end, int call, Object first) {
		LabelNode handler = new LabelNode();
		List<Object> locals = new ArrayList<Object>();
		for (int index = 0; index < call; index++) {
			locals.add(index == 0 ? first : Opcodes.TOP);
		}

		locals.add(CALL);
		method.instructions.add(handler);
		method.instructions.add(new FrameNode(Opcodes.F_NEW, locals.size(), locals.toArray(), 1, new Object[] {"java/lang/Throwable"}));
		method.instructions.add(call("thrown", call));
		method.instructions.add(new InsnNode(Opcodes.ATHROW));
		method.tryCatchBlocks.add(new TryCatchBlockNode(start, end, handler, null));
	}

	/** Our local variable is set wherever a frame says what is. */
	private static void widen(FrameNode frame, int call) {
		List<Object> locals = new ArrayList<Object>();
		int size = 0;
		for (Object local : frame.local) {
			locals.add(local);
			size += local == Opcodes.LONG || local == Opcodes.DOUBLE ? 2 : 1;
		}

		for (; size < call; size++) {
			locals.add(Opcodes.TOP);
		}

		locals.add(CALL);
		frame.local = locals;
	}

	/** Where a constructor calls that of its superclass or another of its own; null if that cannot be told. */
	private static MethodInsnNode superCall(MethodNode method, String owner, String parent) {
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
