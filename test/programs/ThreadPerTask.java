/**
 * Starts a thread for each task, as some servers do: argument 1 at a time, each busy for argument 2 milliseconds and then gone, so that its memory, its stack and all goes to one of the next.
 * Their names count up. Ends with its standard input.
 */
public class ThreadPerTask {
	static volatile long sink;

	static void busy(long milliseconds) {
		long end = System.nanoTime() + milliseconds * 1_000_000;
		long x = 1;
		while (System.nanoTime() < end) {
			for (int i = 0; i < 1000; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
		}
		sink = x;
	}

	public static void main(String[] args) throws Exception {
		int atATime = Integer.parseInt(args[0]);
		long milliseconds = Long.parseLong(args[1]);
		for (int i = 0; i < atATime; i++) {
			int line = i;
			Thread starter = new Thread(() -> {
				try {
					for (int task = 0; true; task++) {
						Thread thread = new Thread(() -> busy(milliseconds), "t" + line + "-" + task);
						thread.start();
						thread.join();
					}
				} catch (InterruptedException e) {
					throw new IllegalStateException(e);
				}
			}, "starter-" + i);
			starter.setDaemon(true);
			starter.start();
		}
		System.out.println("ready");
		while (System.in.read() != -1) {
		}
	}
}
