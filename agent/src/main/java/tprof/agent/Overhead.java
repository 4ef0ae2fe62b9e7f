package tprof.agent;

import java.util.ArrayList;
import java.util.List;

/** What tracing costs the target, by the calls of the last second; and which methods have to cost less. */
final class Overhead {
	final Cost cost = new Cost();
	/** Of the time of one CPU; 100 or more: no matter what. */
	double mostPercent;
	private long[] before = new long[0];
	private long beforeNanos = System.nanoTime();

	/**
	 * Chooses methods that cost too much since it was last asked, the most expensive ones: of each some calls stand for all from
	 * now on, and where that is too much too, it is released. Returns them; none when all together cost little enough.
	 */
	List<Methods.Woven> tooMuch(Totals totals, List<Methods.Woven> methods) {
		cost.measure();
		long now = System.nanoTime();
		long[] calls = new long[methods.size()];
		for (int way = 1; way < totals.ways.count(); way++) {
			calls[totals.ways.node(way).method] += totals.ways.node(way).count;
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
