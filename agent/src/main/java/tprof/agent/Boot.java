package tprof.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.security.ProtectionDomain;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/**
 * Defines the classes that woven code calls in the boot loader, where classes of any loader and module see them (the JVM makes
 * the module of a class that an agent transforms read them). Unsafe.defineClass needs no file and prints no warning, as
 * appendToBootstrapClassLoaderSearch does from JDK 17 on.
 */
final class Boot {
	private Boot() {
	}

	static void define(Instrumentation instrumentation) throws Exception {
		open(instrumentation);
		for (String name : new String[] {"java.tprof.Calls2", "java.tprof.Call2", "java.tprof.Sink2", "java.tprof.Hooks2", "java.tprof.TaskSink1", "java.tprof.TaskHooks1"}) {
			try {
				Class.forName(name, true, null);
			} catch (ClassNotFoundException notYet) {
				define(name, bytesOf(name));
			}
		}
	}

	/** Opens to this session's classes what they need of the JDK; from 9 on it has modules. */
	private static void open(Instrumentation instrumentation) throws Exception {
		Method redefine;
		try {
			redefine = Instrumentation.class.getMethod("redefineModule", Class.forName("java.lang.Module"), Set.class, Map.class, Map.class, Set.class, Map.class);
		} catch (ClassNotFoundException isJava8) {
			return;
		}

		Method moduleOf = Class.class.getMethod("getModule");
		Set<Object> us = Collections.singleton(moduleOf.invoke(Boot.class));
		redefine.invoke(instrumentation, moduleOf.invoke(Object.class), Collections.emptySet(), Collections.singletonMap("jdk.internal.misc", us),
				Collections.singletonMap("java.lang", us), Collections.emptySet(), Collections.emptyMap());
	}

	private static void define(String name, byte[] bytes) throws Exception {
		Class<?> unsafe;
		Object instance;
		try {
			unsafe = Class.forName("jdk.internal.misc.Unsafe");
			instance = unsafe.getMethod("getUnsafe").invoke(null);
		} catch (ClassNotFoundException isJava8) {
			unsafe = Class.forName("sun.misc.Unsafe");
			Field field = unsafe.getDeclaredField("theUnsafe");
			field.setAccessible(true);
			instance = field.get(null);
		}

		unsafe.getMethod("defineClass", String.class, byte[].class, int.class, int.class, ClassLoader.class, ProtectionDomain.class)
				.invoke(instance, name.replace('.', '/'), bytes, 0, bytes.length, null, null);
		Class.forName(name, true, null);
	}

	private static byte[] bytesOf(String name) throws IOException {
		try (InputStream in = Boot.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
			return allOf(in);
		}
	}

	static byte[] allOf(InputStream in) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		byte[] part = new byte[8192];
		for (int count = in.read(part); count >= 0; count = in.read(part)) {
			bytes.write(part, 0, count);
		}

		return bytes.toByteArray();
	}
}
