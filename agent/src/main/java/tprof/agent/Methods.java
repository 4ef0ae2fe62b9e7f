package tprof.agent;

import java.util.*;

/** All methods woven in this session, by the ids in their code. A method has one id in all class loaders. */
final class Methods {
	static final class Woven {
		final int id;
		final String className;
		final String name;
		final String descriptor;
		volatile boolean isHead;
		/** It is called so often that only some of its calls are followed. */
		volatile boolean isThinned;
		/** It is called so often that it is no longer traced. */
		volatile boolean isReleased;
		/** For a constructor: the class whose constructor it calls by super(...) or this(...); null if unknown. */
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

	/** Of a method beside its names, here and in a report. */
	private static final int BYTES = 300;

	private final HeapBudget budget;
	private final Map<String, Woven> byName = new HashMap<String, Woven>();
	private volatile Woven[] byId = new Woven[0];

	Methods(HeapBudget budget) {
		this.budget = budget;
	}

	/** Returns the method, adding it if absent; null if there are `most` already, or the budget has no room. */
	synchronized Woven of(String className, String name, String descriptor, int most) {
		String key = className + "." + name + descriptor;
		Woven method = byName.get(key);
		if (method == null && byId.length < most && budget.take(BYTES + 6 * key.length())) {
			method = new Woven(byId.length, className, name, descriptor);
			byName.put(key, method);
			Woven[] longer = Arrays.copyOf(byId, byId.length + 1);
			longer[method.id] = method;
			byId = longer;
		}

		return method;
	}

	Woven get(int id) {
		return byId[id];
	}

	/** Whether a trace may begin with the method. */
	boolean isHead(int id) {
		Woven[] all = byId;
		return id < all.length && all[id].isHead;
	}

	List<Woven> all() {
		return Arrays.asList(byId);
	}
}
