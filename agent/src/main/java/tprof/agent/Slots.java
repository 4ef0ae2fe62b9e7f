package tprof.agent;

import java.lang.ref.WeakReference;
import java.util.List;

/**
 * A hash table by the identity of keys (open addressing). Look-ups need no lock; additions do. Calls nothing of the JDK, as
 * hooks use it before the thread is known to be in our own code.
 */
final class Slots<T extends Slots.Entry> {
	interface Entry {
		/** Null if it has none any more: then the next growth drops the entry. */
		Object key();

		/** Constant while the entry has a key. */
		int hash();
	}

	/** An entry that does not keep its key alive. */
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

	/** An entry that got another key may also remain in its old slot, which does no harm. */
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

	/** Returns the number of slots that were free before. */
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

	/** Adds the entries that have a key to a list. */
	@SuppressWarnings("unchecked")
	void list(List<T> to) {
		for (Entry entry : slots) {
			if (entry != null && entry.key() != null) {
				to.add((T) entry);
			}
		}
	}
}
