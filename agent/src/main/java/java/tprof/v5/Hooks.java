package java.tprof.v5;

/**
 * What woven code calls. Defined in the boot loader, so that classes of any loader see it. It cannot be redefined, so the
 * package has a version: a later one needs another name. No error of ours reaches the program; what may be the program's own
 * passes, such as a ThreadDeath or an InternalError of a mapped file. The handlers call nothing, as the stack may be full.
 */
public final class Hooks {
	/** Null without a session. Not volatile, as a retransformation follows each change. */
	public static Sink sink;

	public static Call enter(int method, boolean isSome) {
		Sink to = sink;
		if (to == null) {
			return null;
		}

		try {
			return to.enter(method, isSome);
		} catch (OutOfMemoryError full) {
			sink = null;
			to.isOutOfMemory = true;
			return null;
		} catch (StackOverflowError | RuntimeException | LinkageError error) {
			// The program itself may have enough stack.
			to.failed++;
			return null;
		}
	}

	public static void end(Call call, boolean isThrown) {
		Calls of = call == null ? null : call.of;
		if (of != null) {
			try {
				of.end(call.depth, isThrown);
			} catch (OutOfMemoryError full) {
				Sink to = sink;
				sink = null;
				if (to != null) {
					to.isOutOfMemory = true;
				}
			} catch (StackOverflowError | RuntimeException | LinkageError error) {
				// The next end of an outer call ends this one too.
			}
		}
	}

	public static void constructing(Call call, boolean isInside) {
		Calls of = call == null ? null : call.of;
		if (of != null) {
			try {
				of.constructing(call.depth, isInside);
			} catch (OutOfMemoryError full) {
				Sink to = sink;
				sink = null;
				if (to != null) {
					to.isOutOfMemory = true;
				}
			} catch (StackOverflowError | RuntimeException | LinkageError error) {
				// The end of the constructor, or of an outer call, ends what it called.
			}
		}
	}
}
