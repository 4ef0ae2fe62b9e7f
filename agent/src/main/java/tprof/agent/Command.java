package tprof.agent;

import java.util.*;

/** What the tool asks for: a line each, a word and its value. Words of a newer tool are passed over. */
final class Command {
	final String phase;
	/** Where traces begin; empty: anywhere. */
	final List<Pattern> under = new ArrayList<Pattern>();
	final List<Pattern> all = new ArrayList<Pattern>();
	final long leastDuration;
	final int keep;
	final int methods;
	final int periodMs;
	/** Of the time of one CPU, percent; 100 or more: no matter what. */
	final double mostOverhead;
	private final Map<String, String> words = new HashMap<String, String>();

	Command(String text) {
		for (String line : text.split("\n")) {
			int blank = line.indexOf(' ');
			if (blank > 0) {
				String word = line.substring(0, blank);
				String value = line.substring(blank + 1);
				words.put(word, value);
				if (word.equals("pattern")) {
					all.add(new Pattern(value));
				} else if (word.equals("under")) {
					under.add(new Pattern(value));
				}
			}
		}

		all.addAll(under);
		phase = words.get("phase");
		leastDuration = Long.parseLong(words.get("least"));
		keep = number("keep", 0, 100);
		methods = number("methods", 1, 10_000);
		periodMs = number("period", 50, 60_000);
		mostOverhead = Double.parseDouble(words.get("overhead"));
	}

	private int number(String word, int least, int most) {
		return Math.max(least, Math.min(most, Integer.parseInt(words.get(word))));
	}

	boolean mayMatch(String className) {
		for (Pattern pattern : all) {
			if (pattern.mayMatch(className)) {
				return true;
			}
		}

		return false;
	}

	/** Whether patterns mean classes of the JDK. */
	boolean mayBeOfJdk() {
		for (Pattern pattern : all) {
			if (pattern.isOfJdk) {
				return true;
			}
		}

		return false;
	}
}
