import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Two threads that make a class with a name of its own, call a method of it that takes a millisecond, and so on. "end" ends it. */
public class NewClasses {
	static final String TEMPLATE = "NewClasses$Step0000000";
	static final AtomicInteger made = new AtomicInteger();
	static byte[] bytes;

	/** The name of each copy has as many letters. */
	public static class Step0000000 implements Runnable {
		@Override
		public void run() {
			LockSupport.parkNanos(1_000_000);
		}
	}

	static class Loader extends ClassLoader {
		Loader() {
			super(NewClasses.class.getClassLoader());
		}

		Runnable newStep() throws Exception {
			String name = String.format("NewClasses$Step%07d", made.incrementAndGet());
			byte[] copy = new String(bytes, "ISO-8859-1").replace(TEMPLATE, name).getBytes("ISO-8859-1");
			return (Runnable) defineClass(name, copy, 0, copy.length).getConstructor().newInstance();
		}
	}

	public static void main(String[] arguments) throws Exception {
		ByteArrayOutputStream whole = new ByteArrayOutputStream();
		try (InputStream in = NewClasses.class.getResourceAsStream("/" + TEMPLATE + ".class")) {
			for (int each = in.read(); each >= 0; each = in.read()) {
				whole.write(each);
			}
		}

		bytes = whole.toByteArray();
		for (int index = 0; index < 2; index++) {
			Thread thread = new Thread(() -> {
				try {
					while (true) {
						new Loader().newStep().run();
					}
				} catch (Exception error) {
					error.printStackTrace();
				}
			});
			thread.setDaemon(true);
			thread.start();
		}

		System.out.println("ready");
		System.in.read();
	}
}
