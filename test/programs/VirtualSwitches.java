/** Virtual threads (21 and later) that do nothing but give way to one another, so that they switch all the time. Prints "ready". */
public class VirtualSwitches {
	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 4; i++) {
			Thread.startVirtualThread(() -> {
				for (;;) {
					Thread.yield();
				}
			});
		}

		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE);
	}
}
