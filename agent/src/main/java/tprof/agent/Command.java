package tprof.agent;

import java.util.*;

/** A command of the tool: lines of a word and its value. Unknown words are ignored. */
final class Command {
	final String phase;
	/** Methods at which traces begin; empty: any. */
	final List<Pattern> under = new ArrayList<Pattern>();
	final List<Pattern> all = new ArrayList<Pattern>();
	/** Methods, as Class.method, that may be running a loop. */
	final Set<String> running = new HashSet<String>();
	/** Methods, as Class.method, that a thread has called from themselves very many times. */
	final Set<String> deep = new HashSet<String>();
	final long leastDuration;
	final int keep;
	final int methods;
	final int periodMs;
	/** Percent of one CPU; 100 or more: no limit. */
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
				} else if (word.equals("running")) {
					running.add(value);
				} else if (word.equals("deep")) {
					deep.add(value);
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

	/** Returns a method of the class that is among `deep`, as Class.method; null if none is. */
	String deepIn(String className) {
		for (String method : deep) {
			if (method.startsWith(className + ".") && method.indexOf('.', className.length() + 1) < 0) {
				return method;
			}
		}

		return null;
	}

	boolean mayMatch(String className) {
		for (Pattern pattern : all) {
			if (pattern.mayMatch(className)) {
				return true;
			}
		}

		return false;
	}

	boolean mayBeOfJdk() {
		for (Pattern pattern : all) {
			if (pattern.isOfJdk) {
				return true;
			}
		}

		return false;
	}
}
