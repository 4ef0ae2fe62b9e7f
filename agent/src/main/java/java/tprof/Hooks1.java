package java.tprof;

/**
 * What woven code calls. Defined in the boot loader, so that classes of any loader see it, and never changed: a later version
 * has another name.
 */
public final class Hooks1 {
	/** Null while nobody listens. Plain, as a retransformation follows each change of it. */
	public static Sink1 sink;

	private Hooks1() {
	}

	public static int enter(int method) {
		Sink1 to = sink;
		return to == null ? -1 : to.enter(method);
	}

	public static void exit(int depth) {
		if (depth >= 0) {
			Sink1 to = sink;
			if (to != null) {
				to.exit(depth);
			}
		}
	}

	public static void thrown(int depth) {
		if (depth >= 0) {
			Sink1 to = sink;
			if (to != null) {
				to.thrown(depth);
			}
		}
	}
}
