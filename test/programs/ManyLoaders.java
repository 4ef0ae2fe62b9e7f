import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Loads a class of its own in ever more class loaders, as programs do that load scripts, and keeps the newest 400 of them.
 * The main thread uses the class of the class path, once for each line of standard input. The initialiser of another class has failed.
 * Prints "ready", "failed ERROR" for the first error of each kind, and for each line of standard input "loaded N" and "done LINE".
 */
public class ManyLoaders {
	static final int KEPT = 400;
	static volatile int loaded;

	public static class Script {
		int runs;

		public Script() {
			runs = 1;
		}
	}

	/** Cannot be initialised. */
	static class Failed {
		static final int NONE = Integer.parseInt("none");

		static void call() {}
	}

	static final class Loader extends ClassLoader {
		final byte[] bytes;

		Loader(byte[] bytes) {
			super(null);
			this.bytes = bytes;
		}

		@Override
		protected Class<?> findClass(String name) {
			return defineClass(name, bytes, 0, bytes.length);
		}
	}

	static byte[] bytesOfScript() throws IOException {
		byte[] bytes = new byte[4096];
		int length = 0;
		try (InputStream in = ManyLoaders.class.getResourceAsStream("ManyLoaders$Script.class")) {
			for (int count; (count = in.read(bytes, length, bytes.length - length)) > 0;) {
				length += count;
			}
		}
		return java.util.Arrays.copyOf(bytes, length);
	}

	static void load(byte[] bytes) {
		ArrayDeque<Object> newest = new ArrayDeque<>();
		Set<String> failures = new HashSet<>();
		while (true) {
			try {
				newest.add(new Loader(bytes).loadClass("ManyLoaders$Script").getDeclaredConstructor().newInstance());
				if (newest.size() > KEPT) {
					newest.remove();
				}
				loaded++;
				Thread.sleep(2);
			} catch (Throwable error) {
				if (failures.add(error.toString())) {
					System.out.println("failed " + error);
				}
			}
		}
	}

	public static void main(String[] args) throws Exception {
		byte[] bytes = bytesOfScript();
		try {
			Failed.call();
		} catch (ExceptionInInitializerError expected) {
			// As it should.
		}

		Thread thread = new Thread(() -> load(bytes), "loads");
		thread.setDaemon(true);
		thread.start();
		System.out.println("ready");
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		for (String line; (line = in.readLine()) != null;) {
			new Script();
			System.out.println("loaded " + loaded + "\ndone " + line);
		}
		System.exit(0);
	}
}
