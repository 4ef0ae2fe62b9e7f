package tprof.agent;

import java.io.*;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.*;

/** What a class file says of its class and methods. */
final class ClassFile {
	static final int API = Opcodes.ASM9;
	/** The newest version that ASM is asked to read (Java 25): a newer one is given to it as this. */
	private static final int NEWEST = 69;
	private static final int VERSION_AT = 6;

	String name;
	List<String> supers;
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

	/** Null where the class has no file that its loader gives, or one that cannot be read. */
	static ClassFile of(Class<?> type) {
		ClassReader reader = reader(type.getClassLoader(), type.getName());
		return reader == null ? null : of(reader);
	}

	static ClassReader reader(ClassLoader loader, String name) {
		try {
			byte[] bytes = bytesOf(loader, name);
			return bytes == null ? null : reader(bytes);
		} catch (Throwable unreadable) {
			return null;
		}
	}

	/** The bytes of a class's file; null: its loader gives none. */
	static byte[] bytesOf(ClassLoader loader, String name) throws IOException {
		String resource = name.replace('.', '/') + ".class";
		try (InputStream in = loader == null ? ClassLoader.getSystemResourceAsStream(resource) : loader.getResourceAsStream(resource)) {
			if (in == null) {
				return null;
			}

			ByteArrayOutputStream bytes = new ByteArrayOutputStream();
			byte[] part = new byte[8192];
			for (int count = in.read(part); count >= 0; count = in.read(part)) {
				bytes.write(part, 0, count);
			}

			return bytes.toByteArray();
		}
	}

	static ClassFile of(ClassReader reader) {
		final ClassFile file = new ClassFile();
		file.name = reader.getClassName().replace('/', '.');
		file.supers = supersOf(reader);
		reader.accept(new ClassVisitor(API) {
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

	/** Names of its superclass, if any, and interfaces. */
	static List<String> supersOf(ClassReader reader) {
		List<String> names = new ArrayList<String>();
		if (reader.getSuperName() != null) {
			names.add(reader.getSuperName().replace('/', '.'));
		}

		for (String each : reader.getInterfaces()) {
			names.add(each.replace('/', '.'));
		}

		return names;
	}

	private static String className(String descriptor) {
		return descriptor.substring(1, descriptor.length() - 1).replace('/', '.');
	}
}
