package tprof.agent;

import java.util.ArrayList;
import java.util.List;

/** What tracing costs the target, by the calls of the last second; and which methods have to cost less. */
final class Overhead {
	private final double share;
	private final Cost cost;
	private long[] before = new long[0];
	private long beforeNanos = System.nanoTime();

	Overhead(double mostPercent, Cost cost) {
		share = mostPercent / 100;
		this.cost = cost;
	}

	/**
	 * Chooses methods that cost too much since it was last asked, the most expensive ones: of each some calls stand for all from
	 * now on, and where that is too much too, it is released. Returns them; none when all together cost little enough.
	 */
	List<Methods.Woven> tooMuch(Totals totals, List<Methods.Woven> methods) {
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

		double budget = share * (now - beforeNanos);
		before = calls;
		beforeNanos = now;
		List<Methods.Woven> changed = new ArrayList<Methods.Woven>();
		while (sum > budget && share < 1) {
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
