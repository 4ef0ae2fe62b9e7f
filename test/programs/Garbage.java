import java.util.Scanner;

/**
 * Makes short-lived garbage without end, so that young collections come all the time; with the argument "asked" as many
 * megabytes as each line of its input says, and then prints "made". Prints "ready".
 */
public class Garbage {
	static volatile Object sink;

	public static void main(String[] args) {
		Scanner in = new Scanner(System.in);
		System.out.println("ready");
		while (args.length == 0) {
			sink = new byte[16 * 1024];
		}

		while (in.hasNextInt()) {
			for (int left = in.nextInt() * 64; left > 0; left--) {
				sink = new byte[16 * 1024 - 16];
			}

			System.out.println("made");
		}
	}
}
