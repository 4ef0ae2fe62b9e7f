package tprof.agent;

import java.util.*;
import org.objectweb.asm.*;

/**
 * Finds loops that would stay interpreted: when a class is changed, the JVM goes on with the old code of its methods that
 * run, and compiles it no more (HotSpot's CompilationPolicy leaves out old methods).
 */
final class RunningLoops {
	private RunningLoops() {
	}

	/** Returns the name of a method of the class that is among `running` (Class.method) and has a loop; null if none. */
	static String loopIn(Class<?> type, Set<String> running) {
		String prefix = type.getName() + ".";
		Set<String> names = new HashSet<String>();
		for (String each : running) {
			if (each.startsWith(prefix)) {
				names.add(each.substring(prefix.length()));
			}
		}

		if (names.isEmpty()) {
			return null;
		}

		ClassReader reader = ClassFile.reader(type.getClassLoader(), type.getName());
		// Of a class without a file it is not known which methods have loops.
		String found = reader == null ? names.iterator().next() : loopIn(reader, names);
		return found == null ? null : prefix + found;
	}

	static String reason(String loop) {
		return "a loop in " + loop + " is running: the JVM would interpret it, many times slower, until the method returns;"
				+ " --running-loops traces the class even so";
	}

	private static String loopIn(ClassReader reader, final Set<String> names) {
		final String[] found = new String[1];
		reader.accept(new ClassVisitor(ClassFile.API) {
			@Override
			public MethodVisitor visitMethod(int access, final String name, String descriptor, String signature, String[] exceptions) {
				return !names.contains(name) ? null : new BackwardJumps() {
					@Override
					void found() {
						found[0] = name;
					}
				};
			}
		}, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
		return found[0];
	}

	private abstract static class BackwardJumps extends MethodVisitor {
		private final Set<Label> passed = new HashSet<Label>();

		BackwardJumps() {
			super(ClassFile.API);
		}

		abstract void found();

		@Override
		public void visitLabel(Label label) {
			passed.add(label);
		}

		@Override
		public void visitJumpInsn(int opcode, Label label) {
			jump(label);
		}

		@Override
		public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
			visitLookupSwitchInsn(otherwise, null, labels);
		}

		@Override
		public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
			jump(otherwise);
			for (Label label : labels) {
				jump(label);
			}
		}

		private void jump(Label to) {
			if (passed.contains(to)) {
				found();
			}
		}
	}
}
