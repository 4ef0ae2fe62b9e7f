package java.tprof;

/**
 * What woven code calls. Defined in the boot loader, so that classes of any loader see it, and never changed: a later version
 * has another name.
 */
public final class Hooks3 {
	/** Null while nobody listens. Plain, as a retransformation follows each change of it. */
	public static Sink3 sink;

	public static Call3 enter(int method, boolean isSome) {
		Sink3 to = sink;
		try {
			return to == null ? null : to.enter(method, isSome);
		} catch (StackOverflowError full) {
			// The program may have room for what it does itself.
			return null;
		}
	}

	public static void end(Call3 call, boolean isThrown) {
		Calls3 of = call == null ? null : call.of;
		if (of != null) {
			try {
				of.end(call.depth, isThrown);
			} catch (StackOverflowError full) {
				// The next end makes up for it.
			}
		}
	}

	/** Nobody is told if super(...) or this(...) throws. */
	public static void constructing(Call3 call, boolean isInside) {
		Calls3 of = call == null ? null : call.of;
		if (of != null) {
			of.constructing(call.depth, isInside);
		}
	}
}
