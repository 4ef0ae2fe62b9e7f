package java.tprof;

/**
 * What woven code calls. Defined in the boot loader, so that classes of any loader see it. It cannot be redefined: a later
 * version needs another name.
 */
public final class Hooks3 {
	/** Null without a session. Not volatile, as a retransformation follows each change. */
	public static Sink3 sink;

	public static Call3 enter(int method, boolean isSome) {
		Sink3 to = sink;
		try {
			return to == null ? null : to.enter(method, isSome);
		} catch (StackOverflowError full) {
			// The call is not counted; the program itself may have enough stack.
			return null;
		}
	}

	public static void end(Call3 call, boolean isThrown) {
		Calls3 of = call == null ? null : call.of;
		if (of != null) {
			try {
				of.end(call.depth, isThrown);
			} catch (StackOverflowError full) {
				// The next end of an outer call ends this one too.
			}
		}
	}

	public static void constructing(Call3 call, boolean isInside) {
		Calls3 of = call == null ? null : call.of;
		if (of != null) {
			of.constructing(call.depth, isInside);
		}
	}
}
