package tprof.agent;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;

/** What classes inherit from that are being loaded. Supertypes may not be loaded before them, so they are read from their files. */
final class Supertypes {
	/** By name: in several class loaders they are most often the same, and if not, the class is woven once it is loaded. */
	private final Map<String, List<String>> direct = new ConcurrentHashMap<String, List<String>>();

	/** Names of all supertypes. The choice learns which of their abstract methods are meant. */
	Set<String> of(ClassLoader loader, ClassReader type, Choice choice) {
		Set<String> found = new HashSet<String>();
		List<String> open = new ArrayList<String>(directOf(type));
		while (!open.isEmpty()) {
			String name = open.remove(open.size() - 1);
			// What the JDK's classes inherit from is of the JDK too.
			if (found.add(name) && (choice.mayBeOfJdk() || !Pattern.isJdk(name))) {
				List<String> above = direct.get(name);
				if (above == null) {
					above = read(loader, name, choice);
					direct.put(name, above);
				}

				open.addAll(above);
			}
		}

		return found;
	}

	private static List<String> read(ClassLoader loader, String name, Choice choice) {
		String resource = name.replace('.', '/') + ".class";
		try (InputStream in = loader == null ? ClassLoader.getSystemResourceAsStream(resource) : loader.getResourceAsStream(resource)) {
			if (in == null) {
				return Collections.emptyList();
			}

			ClassReader type = ClassFile.reader(Boot.allOf(in));
			if (choice.mayMatch(name)) {
				choice.learn(Collections.singleton(ClassFile.of(type)));
			}

			return directOf(type);
		} catch (Throwable unreadable) {
			return Collections.emptyList();
		}
	}

	private static List<String> directOf(ClassReader type) {
		List<String> names = new ArrayList<String>();
		if (type.getSuperName() != null) {
			names.add(type.getSuperName().replace('/', '.'));
		}

		for (String each : type.getInterfaces()) {
			names.add(each.replace('/', '.'));
		}

		return names;
	}
}
