package java.tprof;

/**
 * What woven code calls. Defined in the boot loader, so that classes of any loader see it, and never changed: a later version
 * has another name.
 */
public final class Hooks2 {
	/** Null while nobody listens. Plain, as a retransformation follows each change of it. */
	public static Sink2 sink;

	private Hooks2() {
	}

	public static Call2 enter(int method) {
		Sink2 to = sink;
		return to == null ? null : to.enter(method);
	}

	public static Call2 enterSome(int method) {
		Sink2 to = sink;
		return to == null ? null : to.enterSome(method);
	}

	public static void exit(Call2 call) {
		if (call != null) {
			Calls2 of = call.of;
			if (of != null) {
				of.exit(call.depth);
			}
		}
	}

	public static void thrown(Call2 call) {
		if (call != null) {
			Calls2 of = call.of;
			if (of != null) {
				of.thrown(call.depth);
			}
		}
	}

	public static void constructing(Call2 call) {
		if (call != null) {
			Calls2 of = call.of;
			if (of != null) {
				of.constructing(call.depth);
			}
		}
	}

	public static void constructed(Call2 call) {
		if (call != null) {
			Calls2 of = call.of;
			if (of != null) {
				of.constructed(call.depth);
			}
		}
	}
}
