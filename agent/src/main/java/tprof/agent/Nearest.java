package tprof.agent;

import java.util.*;

/** The names most similar to one that matches nothing. */
final class Nearest {
	private static final int MOST = 3;
	private static final int LETTERS_PER_SLIP = 3;

	private final TreeMap<Integer, TreeSet<String>> byDistance = new TreeMap<Integer, TreeSet<String>>();

	/** Adds a name if the wanted text differs from a part of it in at most one of three letters. */
	void offer(String wanted, String part, String name) {
		int slips = slips(wanted.toLowerCase(Locale.ROOT), part.toLowerCase(Locale.ROOT));
		if (slips <= Math.max(1, Math.min(wanted.length(), part.length()) / LETTERS_PER_SLIP)) {
			// With the same number of slips, the name whose length differs least is nearer.
			int distance = wanted.equals(part) ? -1 : slips * 10 + Math.min(9, Math.abs(wanted.length() - part.length()));
			byDistance.putIfAbsent(distance, new TreeSet<String>());
			byDistance.get(distance).add(name);
		}
	}

	boolean isEmpty() {
		return byDistance.isEmpty();
	}

	List<String> names() {
		List<String> names = new ArrayList<String>();
		for (TreeSet<String> some : byDistance.values()) {
			names.addAll(some);
		}

		return names.subList(0, Math.min(MOST, names.size()));
	}

	/** Returns the edit distance (Levenshtein); 1 if one is a prefix of the other. */
	private static int slips(String from, String to) {
		if (from.length() > 2 && (to.startsWith(from) || from.startsWith(to) && to.length() > 2)) {
			return from.equals(to) ? 0 : 1;
		}

		int[] last = new int[to.length() + 1];
		for (int column = 0; column <= to.length(); column++) {
			last[column] = column;
		}

		for (int row = 1; row <= from.length(); row++) {
			int[] next = new int[to.length() + 1];
			next[0] = row;
			for (int column = 1; column <= to.length(); column++) {
				int changed = last[column - 1] + (from.charAt(row - 1) == to.charAt(column - 1) ? 0 : 1);
				next[column] = Math.min(changed, Math.min(last[column], next[column - 1]) + 1);
			}

			last = next;
		}

		return last[to.length()];
	}
}
