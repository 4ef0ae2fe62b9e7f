package tprof.agent;

import java.util.*;

/** The cost of tracing, from the calls of the last period; chooses the methods that must cost less. */
final class Overhead {
	final Cost cost = new Cost();
	/** See Command.mostOverhead. */
	double mostPercent;
	private long[] before = new long[0];
	private long beforeNanos = System.nanoTime();

	/**
	 * Chooses the most expensive methods if all together have cost too much since the previous call: thins them or, if they are
	 * thinned already, releases them. Returns them.
	 */
	List<Methods.Woven> tooMuch(Totals totals, List<Methods.Woven> methods) {
		cost.measure();
		long now = System.nanoTime();
		long[] calls = new long[methods.size()];
		for (int path = 1; path < totals.paths.count(); path++) {
			calls[totals.paths.node(path).method] += totals.paths.node(path).count;
		}

		double[] costs = new double[calls.length];
		double sum = 0;
		for (int id = 0; id < calls.length; id++) {
			double each = methods.get(id).isThinned ? cost.thinned : cost.call;
			costs[id] = methods.get(id).isReleased ? 0 : (calls[id] - (id < before.length ? before[id] : 0)) * each;
			sum += costs[id];
		}

		double budget = mostPercent / 100 * (now - beforeNanos);
		before = calls;
		beforeNanos = now;
		List<Methods.Woven> changed = new ArrayList<Methods.Woven>();
		while (sum > budget && mostPercent < 100) {
			int most = 0;
			for (int id = 1; id < costs.length; id++) {
				most = costs[id] > costs[most] ? id : most;
			}

			if (costs[most] <= 0) {
				break;
			}

			Methods.Woven method = methods.get(most);
			method.isReleased = method.isThinned;
			method.isThinned = true;
			changed.add(method);
			sum -= costs[most];
			costs[most] = 0;
		}

		return changed;
	}
}
