package tprof.agent;

import java.util.ArrayList;
import java.util.List;

/** What the tool asks for: a line each, a word and its value. */
final class Command {
	String phase = "";
	final List<Pattern> patterns = new ArrayList<Pattern>();
	final List<Pattern> under = new ArrayList<Pattern>();
	long leastDuration;
	int keep = 10;
	int depth = 256;
	int nodes = 65_536;
	int methods = 500;
	int periodMs = 1000;
	/** Of the time of one CPU, percent; 100 or more: no matter what. */
	double mostOverhead = 100;

	static Command parse(String text) {
		Command command = new Command();
		for (String line : text.split("\n")) {
			int blank = line.indexOf(' ');
			if (blank > 0) {
				command.take(line.substring(0, blank), line.substring(blank + 1));
			}
		}

		return command;
	}

	private void take(String word, String value) {
		switch (word) {
		case "phase":
			phase = value;
			break;
		case "pattern":
			patterns.add(Pattern.parse(value));
			break;
		case "under":
			under.add(Pattern.parse(value));
			break;
		case "least":
			leastDuration = Long.parseLong(value);
			break;
		case "keep":
			keep = number(value, 0, 100);
			break;
		case "depth":
			depth = number(value, 1, 4096);
			break;
		case "nodes":
			nodes = number(value, 64, 1 << 20);
			break;
		case "methods":
			methods = number(value, 1, 10_000);
			break;
		case "overhead":
			mostOverhead = Double.parseDouble(value);
			break;
		case "period":
			periodMs = number(value, 50, 60_000);
			break;
		default:
			// Of a newer tool.
			break;
		}
	}

	private static int number(String text, int least, int most) {
		return Math.max(least, Math.min(most, Integer.parseInt(text)));
	}

	boolean mayMatch(String className) {
		return mayMatch(patterns, className) || mayMatch(under, className);
	}

	/** Whether patterns mean classes of the JDK. */
	boolean mayBeOfJdk() {
		for (List<Pattern> list : java.util.Arrays.asList(patterns, under)) {
			for (Pattern pattern : list) {
				if (pattern.isOfJdk()) {
					return true;
				}
			}
		}

		return false;
	}

	private static boolean mayMatch(List<Pattern> list, String className) {
		for (Pattern pattern : list) {
			if (pattern.mayMatch(className)) {
				return true;
			}
		}

		return false;
	}
}
