/**
Thread "worker" works in first() until there is a line on standard input, then sleeps for longer than a second, prints
"second" and works in second().
*/
public class FirstThenSecond {
	static volatile boolean isFirst = true;
	static volatile long sink;

	static void first() {
		while (isFirst) {
			sink++;
		}
	}

	static void second() {
		while (true) {
			sink++;
		}
	}

	public static void main(String[] args) throws Exception {
		Thread worker = new Thread(() -> {
			first();
			try {
				Thread.sleep(1500);
			} catch (InterruptedException e) {
				return;
			}
			System.out.println("second");
			second();
		}, "worker");
		worker.setDaemon(true);
		worker.start();
		System.out.println("ready");
		System.in.read();
		isFirst = false;
		Thread.sleep(Long.MAX_VALUE);
	}
}
