package tprof.agent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The methods that were ever woven in this session, by the ids that their code has. Each is one in all class loaders. */
final class Methods {
	static final class Woven {
		final int id;
		final String className;
		final String name;
		final String descriptor;
		/** It was called so often that some calls stand for all. */
		volatile boolean isThinned;
		/** It was called so often that it is traced no more. */
		volatile boolean isLetGo;
		/** Of a constructor: the class whose constructor it calls by super(...) or this(...); null: that is not known. */
		volatile String superCall;

		Woven(int id, String className, String name, String descriptor) {
			this.id = id;
			this.className = className;
			this.name = name;
			this.descriptor = descriptor;
		}

		boolean isConstructor() {
			return "<init>".equals(name);
		}
	}

	private final Map<String, Woven> byName = new HashMap<String, Woven>();
	private final List<Woven> byId = new ArrayList<Woven>();

	/** Null when there are `most` already. */
	synchronized Woven of(String className, String name, String descriptor, int most) {
		String key = className + "." + name + descriptor;
		Woven method = byName.get(key);
		if (method == null && byId.size() < most) {
			method = new Woven(byId.size(), className, name, descriptor);
			byName.put(key, method);
			byId.add(method);
		}

		return method;
	}

	synchronized List<Woven> all() {
		return new ArrayList<Woven>(byId);
	}
}
