package java.tprof;

/**
 * What woven code keeps of an open call, in a local variable: whose it is, and how many calls were open when it began. The
 * session clears `of` when it is over, so that a call that goes on keeps nothing of it.
 */
public final class Call2 {
	public Calls2 of;
	public final int depth;

	public Call2(Calls2 of, int depth) {
		this.of = of;
		this.depth = depth;
	}
}
