/** One thread that burns CPU, one that sleeps, one that ends when a line comes on standard input. Prints their Linux ids where the JDK shows them; names are fixed. */
public class CpuAndSleep {
	static volatile long sink;

	public static void main(String[] args) throws Exception {
		Thread busy = new Thread(() -> {
			for (;;) {
				sink++;
			}
		}, "busy-one");
		Thread sleeping = new Thread(() -> {
			try {
				Thread.sleep(Long.MAX_VALUE / 2_000_000);
			} catch (InterruptedException ended) {
				Thread.currentThread().interrupt();
			}
		}, "sleeping-one");
		Object gate = new Object();
		Thread ending = new Thread(() -> {
			synchronized (gate) {
				try {
					gate.wait();
				} catch (InterruptedException ended) {
					Thread.currentThread().interrupt();
				}
			}
		}, "ending-one");
		busy.setDaemon(true);
		sleeping.setDaemon(true);
		busy.start();
		sleeping.start();
		ending.start();
		while (sink == 0 || sleeping.getState() != Thread.State.TIMED_WAITING || ending.getState() != Thread.State.WAITING) {
			Thread.sleep(1);
		}

		// They are in these states a moment before they sleep.
		Thread.sleep(200);
		System.out.println("ready");
		while (System.in.read() != '\n') {
			// Wait for the line.
		}

		synchronized (gate) {
			gate.notifyAll();
		}

		ending.join();
		System.out.println("ended");
		System.in.read();
	}
}
