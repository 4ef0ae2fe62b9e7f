package java.tprof.v5;

/**
 * What woven code keeps of an open call in a local variable: its thread's calls, and how many were open when it began.
 * At the session's end `of` is cleared, so that a call in progress does not keep the session in memory.
 */
public final class Call {
	public Calls of;
	public final int depth;

	public Call(Calls of, int depth) {
		this.of = of;
		this.depth = depth;
	}
}
