package tprof.agent;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What a class file says of its class and methods. */
final class ClassFile {
	static final int API = Opcodes.ASM9;
	/** The newest version that ASM is asked to read (Java 25): a newer one is given to it as this. */
	private static final int NEWEST = 69;
	private static final int VERSION_AT = 6;

	String name;
	int access;
	final List<String> supers = new ArrayList<String>();
	final List<String> annotations = new ArrayList<String>();
	final List<Method> methods = new ArrayList<Method>();

	static final class Method {
		final int access;
		final String name;
		final String descriptor;
		final List<String> annotations = new ArrayList<String>();

		Method(int access, String name, String descriptor) {
			this.access = access;
			this.name = name;
			this.descriptor = descriptor;
		}

		boolean hasCode() {
			return (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0;
		}

		/** Made by the compiler to call another one, which is the method that is meant. */
		boolean isBridge() {
			return (access & Opcodes.ACC_BRIDGE) != 0 || ((access & Opcodes.ACC_SYNTHETIC) != 0 && name.startsWith("access$"));
		}
	}

	static int version(byte[] bytes) {
		return (bytes[VERSION_AT] & 0xFF) << 8 | (bytes[VERSION_AT + 1] & 0xFF);
	}

	static void setVersion(byte[] bytes, int version) {
		bytes[VERSION_AT] = (byte) (version >> 8);
		bytes[VERSION_AT + 1] = (byte) version;
	}

	static ClassReader reader(byte[] bytes) {
		if (version(bytes) <= NEWEST) {
			return new ClassReader(bytes);
		}

		byte[] older = bytes.clone();
		setVersion(older, NEWEST);
		return new ClassReader(older);
	}

	/** Null where the class has no file that its loader gives. */
	static ClassFile of(Class<?> type) {
		String resource = type.getName().replace('.', '/') + ".class";
		ClassLoader loader = type.getClassLoader();
		try (InputStream in = loader == null ? ClassLoader.getSystemResourceAsStream(resource) : loader.getResourceAsStream(resource)) {
			return in == null ? null : of(reader(Boot.allOf(in)));
		} catch (Throwable unreadable) {
			return null;
		}
	}

	static ClassFile of(ClassReader reader) {
		final ClassFile file = new ClassFile();
		reader.accept(new ClassVisitor(API) {
			@Override
			public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
				file.name = name.replace('/', '.');
				file.access = access;
				if (superName != null) {
					file.supers.add(superName.replace('/', '.'));
				}

				for (String each : interfaces) {
					file.supers.add(each.replace('/', '.'));
				}
			}

			@Override
			public AnnotationVisitor visitAnnotation(String descriptor, boolean isVisible) {
				file.annotations.add(className(descriptor));
				return null;
			}

			@Override
			public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
				final Method method = new Method(access, name, descriptor);
				file.methods.add(method);
				return new MethodVisitor(API) {
					@Override
					public AnnotationVisitor visitAnnotation(String type, boolean isVisible) {
						method.annotations.add(className(type));
						return null;
					}
				};
			}
		}, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
		return file;
	}

	private static String className(String descriptor) {
		return descriptor.substring(1, descriptor.length() - 1).replace('/', '.');
	}
}
