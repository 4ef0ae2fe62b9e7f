/**
 * Once a second it allocates 6 MB at each of three lines, one after the other, as fast as it can. Prints "ready".
 */
public class AllocatesInBursts {
	static volatile Object sink;

	public static void main(String[] args) throws InterruptedException {
		System.out.println("ready");
		for (;;) {
			first();
			second();
			third();
			Thread.sleep(1000);
		}
	}

	static void first() {
		for (int i = 0; i < 3000; i++) {
			sink = new byte[2000];
		}
	}

	static void second() {
		for (int i = 0; i < 3000; i++) {
			sink = new byte[2000];
		}
	}

	static void third() {
		for (int i = 0; i < 3000; i++) {
			sink = new byte[2000];
		}
	}
}
