package tprof.agent;

import java.lang.ref.WeakReference;
import java.util.List;

/**
 * Entries by the identity of their keys: open addressing. Any thread looks up without a lock; who adds has one. Only arrays, as
 * nothing of the JDK is called before a thread is known to be in our own code.
 */
final class Slots<T extends Slots.Entry> {
	interface Entry {
		/** Null once it has none: the next growth leaves it out then. */
		Object key();

		/** Does not change while it has a key. */
		int hash();
	}

	/** An entry that keeps its key from being collected as little as the table does. */
	static class Weak<K> extends WeakReference<K> implements Entry {
		private final int hash;

		Weak(K key) {
			super(key);
			hash = System.identityHashCode(key);
		}

		@Override
		public final Object key() {
			return get();
		}

		@Override
		public final int hash() {
			return hash;
		}
	}

	private static final int FIRST = 256;

	private volatile Entry[] slots = new Entry[FIRST];
	private int used;

	/** Null: there is none. */
	@SuppressWarnings("unchecked")
	T find(Object key, int hash) {
		Entry[] in = slots;
		int mask = in.length - 1;
		for (int at = hash & mask;; at = (at + 1) & mask) {
			Entry entry = in[at];
			if (entry == null || entry.key() == key) {
				return (T) entry;
			}
		}
	}

	/** An entry that lost its key and has another may still be in its old place too, which does no harm. */
	void add(T entry) {
		if ((used + 1) * 2 > slots.length) {
			rebuild();
		}

		used += enter(slots, entry);
	}

	private void rebuild() {
		Entry[] old = slots;
		int live = live();
		int length = FIRST;
		while (live * 4 > length) {
			length *= 2;
		}

		Entry[] to = new Entry[length];
		used = 0;
		for (Entry entry : old) {
			if (entry != null && entry.key() != null) {
				used += enter(to, entry);
			}
		}

		slots = to;
	}

	int live() {
		int live = 0;
		for (Entry entry : slots) {
			live += entry == null || entry.key() == null ? 0 : 1;
		}

		return live;
	}

	/** How many places that takes. */
	private static int enter(Entry[] to, Entry entry) {
		int mask = to.length - 1;
		int at = entry.hash() & mask;
		while (to[at] != null && to[at] != entry) {
			at = (at + 1) & mask;
		}

		int taken = to[at] == null ? 1 : 0;
		to[at] = entry;
		return taken;
	}

	/** Adds to the list all that have a key. */
	@SuppressWarnings("unchecked")
	void list(List<T> to) {
		for (Entry entry : slots) {
			if (entry != null && entry.key() != null) {
				to.add((T) entry);
			}
		}
	}
}
