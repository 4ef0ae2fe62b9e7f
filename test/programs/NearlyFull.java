import java.util.ArrayList;
import java.util.List;

/**
 * Fills its heap (give it -Xmx64m) with small objects up to what its argument leaves, a part of 100, and goes on making
 * garbage, so that the collector works most of the time. Prints "ready".
 */
public class NearlyFull {
	static final List<Object[]> kept = new ArrayList<>();
	static volatile Object sink;

	public static void main(String[] args) {
		Runtime runtime = Runtime.getRuntime();
		int percent = args.length == 0 ? 90 : Integer.parseInt(args[0]);
		long most = runtime.maxMemory() / 100 * percent;
		for (int count = 0; runtime.totalMemory() - runtime.freeMemory() < most; count++) {
			kept.add(new Object[] {new byte[64], new byte[64], new Object[8]});
			if (count % 100_000 == 0) {
				System.gc();
			}
		}

		System.gc();
		System.out.println("ready");
		for (;;) {
			sink = new byte[1024];
		}
	}
}
