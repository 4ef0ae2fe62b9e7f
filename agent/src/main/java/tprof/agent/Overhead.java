package tprof.agent;

import java.util.ArrayList;
import java.util.List;

/** What tracing costs the target, by the calls of the last second; and which methods have to be let go, so that it costs less. */
final class Overhead {
	/** A call and its end, two readings of the clock included: what is aimed at; on a loaded machine it was several times that. */
	private static final long CALL_NANOS = 80;

	private final double share;
	private long[] before = new long[0];
	private long beforeNanos = System.nanoTime();

	Overhead(double mostPercent) {
		share = mostPercent / 100;
	}

	/** Methods that cost too much since it was last asked, the most expensive ones; none when all together cost little enough. */
	List<Integer> tooMuch(Totals totals, int methods) {
		long now = System.nanoTime();
		long[] calls = new long[methods];
		for (int node = 1; node < totals.count(); node++) {
			calls[totals.method(node)] += totals.counter(node, Tree.CALLS);
		}

		long[] grown = new long[methods];
		double cost = 0;
		for (int method = 0; method < methods; method++) {
			grown[method] = calls[method] - (method < before.length ? before[method] : 0);
			cost += grown[method] * CALL_NANOS;
		}

		double budget = share * (now - beforeNanos);
		before = calls;
		beforeNanos = now;
		List<Integer> expensive = new ArrayList<Integer>();
		while (cost > budget && share < 1) {
			int most = 0;
			for (int method = 1; method < methods; method++) {
				most = grown[method] > grown[most] ? method : most;
			}

			cost -= grown[most] * CALL_NANOS;
			grown[most] = 0;
			expensive.add(most);
		}

		return expensive;
	}
}
