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

	public static Call1 enter(int method) {
		Sink1 to = sink;
		return to == null ? null : to.enter(method);
	}

	public static Call1 enterSome(int method) {
		Sink1 to = sink;
		return to == null ? null : to.enterSome(method);
	}

	public static void exit(Call1 call) {
		if (call != null) {
			Calls1 of = call.of;
			if (of != null) {
				of.exit(call.depth);
			}
		}
	}

	public static void thrown(Call1 call) {
		if (call != null) {
			Calls1 of = call.of;
			if (of != null) {
				of.thrown(call.depth);
			}
		}
	}
}
