package java.tprof;

/**
 * What woven code keeps of an open call, in a local variable: whose it is, and how many calls were open when it began. The
 * session clears `of` when it is over, so that a call that goes on keeps nothing of it.
 */
public final class Call3 {
	public Calls3 of;
	public final int depth;

	public Call3(Calls3 of, int depth) {
		this.of = of;
		this.depth = depth;
	}
}
