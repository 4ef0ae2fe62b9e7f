import java.io.Closeable;
import java.io.FileInputStream;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps a direct buffer of 256 kilobytes, an open file and a class of a loader of its own, more of each twenty times a
 * second, and calls System.gc() once a second. Its argument is the number of rounds; after them nothing grows. Prints
 * "ready" at once.
 */
public class GrowsSteadily {
	static final List<Object> KEPT = new ArrayList<>();

	public static void main(String[] args) throws Exception {
		System.out.println("ready");
		long rounds = Long.parseLong(args[0]);
		for (long round = 0;; round++) {
			if (round < rounds) {
				grow();
			}

			if (round % 20 == 0) {
				System.gc();
			}

			Thread.sleep(50);
		}
	}

	static void grow() throws Exception {
		KEPT.add(ByteBuffer.allocateDirect(1 << 18));
		Closeable file = new FileInputStream("/dev/null");
		KEPT.add(file);
		ClassLoader loader = new ClassLoader() {};
		KEPT.add(Proxy.newProxyInstance(loader, new Class<?>[] {Runnable.class}, (proxy, method, given) -> null));
	}
}
