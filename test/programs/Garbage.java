/** Makes short-lived garbage without end, so that young collections come all the time. Prints "ready". */
public class Garbage {
	static volatile Object sink;

	public static void main(String[] args) {
		System.out.println("ready");
		for (;;) {
			sink = new byte[16 * 1024];
		}
	}
}
