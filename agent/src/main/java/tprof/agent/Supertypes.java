package tprof.agent;

import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import org.objectweb.asm.ClassReader;

/** What classes inherit from that are being loaded. Supertypes may not be loaded before them, so they are read from their files. */
final class Supertypes {
	private final Choice choice;
	/** By name: in several class loaders they are most often the same, and if not, the class is woven once it is loaded. */
	private final Map<String, List<String>> direct = new ConcurrentHashMap<String, List<String>>();

	Supertypes(Choice choice) {
		this.choice = choice;
	}

	/** Names of all supertypes. The choice learns which of their abstract methods are meant. */
	Set<String> of(ClassLoader loader, ClassReader type) {
		Set<String> found = new HashSet<String>();
		List<String> open = ClassFile.supersOf(type);
		while (!open.isEmpty()) {
			String name = open.remove(open.size() - 1);
			// What the JDK's classes inherit from is of the JDK too.
			if (found.add(name) && (choice.command.mayBeOfJdk() || !Pattern.isJdk(name))) {
				List<String> above = direct.get(name);
				if (above == null) {
					above = read(loader, name);
					direct.put(name, above);
				}

				open.addAll(above);
			}
		}

		return found;
	}

	private List<String> read(ClassLoader loader, String name) {
		ClassReader type = ClassFile.reader(loader, name);
		if (type == null) {
			return Collections.emptyList();
		}

		if (choice.mayMatch(name)) {
			choice.learn(Collections.singleton(ClassFile.of(type)));
		}

		return ClassFile.supersOf(type);
	}
}
