package tprof.agent;

/** How different two names are. */
final class Distance {
	private Distance() {
	}

	private static final int FAR = 1000;
	private static final int LETTERS_PER_SLIP = 3;

	/**
	 * Letters to change, add or leave out, in tenths, and something for a different length; case does not count, and the beginning
	 * of a name is as near as one letter. FAR or more where there is more than a slip in three letters.
	 */
	static int of(String wanted, String name) {
		int slips = slips(wanted, name);
		int most = Math.max(1, Math.min(wanted.length(), name.length()) / LETTERS_PER_SLIP);
		return (slips > most ? FAR : slips * 10) + Math.min(9, Math.abs(wanted.length() - name.length()));
	}

	static boolean isFar(int distance) {
		return distance >= FAR;
	}

	private static int slips(String wanted, String name) {
		String from = wanted.toLowerCase(java.util.Locale.ROOT);
		String to = name.toLowerCase(java.util.Locale.ROOT);
		if (from.length() > 2 && (to.startsWith(from) || from.startsWith(to) && to.length() > 2)) {
			return from.equals(to) ? 0 : 1;
		}

		if (Math.abs(from.length() - to.length()) > 3) {
			return 4;
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
