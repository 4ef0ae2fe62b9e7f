package tprof.agent;

/** Longer copies of arrays, without java.util.Arrays: that may be traced itself. */
final class Copies {
	private Copies() {
	}

	static int[] of(int[] from, int length) {
		int[] to = new int[length];
		System.arraycopy(from, 0, to, 0, from.length);
		return to;
	}

	static long[] of(long[] from, int length) {
		long[] to = new long[length];
		System.arraycopy(from, 0, to, 0, from.length);
		return to;
	}
}
