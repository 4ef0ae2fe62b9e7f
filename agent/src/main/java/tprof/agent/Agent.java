package tprof.agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.*;
import java.security.ProtectionDomain;
import java.util.*;

/**
 * Entry point, called by the stub. Defines the hooks' classes in the boot loader, where classes of any loader and module see
 * them (a class that an agent transforms may read the boot loader's unnamed module). Unsafe.defineClass needs no file and
 * prints no warning, unlike appendToBootstrapClassLoaderSearch from JDK 17 on.
 */
public final class Agent {
	private static final String[] BOOT = {"java.tprof.v5.Calls", "java.tprof.v5.Call", "java.tprof.v5.Sink", "java.tprof.v5.Hooks",
			"java.tprof.v5.TaskSink", "java.tprof.v5.TaskHooks"};
	/** Packages of the JDK with what hooks and shipped probes read. */
	private static final String[] OPENED = {"java.lang", "java.util", "java.util.concurrent", "jdk.internal.vm"};

	/** Returns the session's work, for a thread of its own. Throws NoRoomException if the heap is nearly full. */
	public static Runnable session(String folder, Instrumentation instrumentation) throws Exception {
		HeapRoom room = new HeapRoom();
		open(instrumentation);
		for (String name : BOOT) {
			try {
				Class.forName(name, true, null);
			} catch (ClassNotFoundException notYet) {
				define(name);
			}
		}

		return new Session(folder, instrumentation, room);
	}

	/** Opens packages to this session's classes only, from JDK 9 on. */
	@SuppressWarnings("unchecked")
	private static void open(Instrumentation instrumentation) throws Exception {
		Class<?> module;
		try {
			module = Class.forName("java.lang.Module");
		} catch (ClassNotFoundException isJava8) {
			return;
		}

		Method moduleOf = Class.class.getMethod("getModule");
		Object base = moduleOf.invoke(Object.class);
		Set<String> there = (Set<String>) module.getMethod("getPackages").invoke(base);
		Set<Object> us = Collections.singleton(moduleOf.invoke(Agent.class));
		Map<String, Object> opens = new HashMap<String, Object>();
		for (String name : OPENED) {
			if (there.contains(name)) {
				opens.put(name, us);
			}
		}

		Instrumentation.class.getMethod("redefineModule", module, Set.class, Map.class, Map.class, Set.class, Map.class).invoke(instrumentation, base,
				Collections.emptySet(), Collections.singletonMap("jdk.internal.misc", us), opens, Collections.emptySet(), Collections.emptyMap());
	}

	private static void define(String name) throws Exception {
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

		byte[] bytes = ClassFile.bytesOf(Agent.class.getClassLoader(), name);
		unsafe.getMethod("defineClass", String.class, byte[].class, int.class, int.class, ClassLoader.class, ProtectionDomain.class)
				.invoke(instance, name.replace('.', '/'), bytes, 0, bytes.length, null, null);
		Class.forName(name, true, null);
	}
}
