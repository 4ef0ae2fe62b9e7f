import java.io.ByteArrayOutputStream;
import java.io.InputStream;

/** Defines the same class again and again and calls it, so that it is compiled each time (give it -Xcomp). Prints "ready". */
public class CompilesOften {
	static volatile Object sink;

	public static class Work {
		@Override
		public String toString() {
			StringBuilder text = new StringBuilder();
			for (int i = 0; i < 10; i++) {
				text.append(part(i)).append(i % 3 == 0 ? "a" : "b").append(i * 31L);
			}

			return text.toString();
		}

		static String part(int i) {
			return i > 5 ? String.valueOf(i * 1.5) : Integer.toHexString(i);
		}
	}

	static class Loader extends ClassLoader {
		Class<?> define(byte[] bytes) {
			return defineClass("CompilesOften$Work", bytes, 0, bytes.length);
		}
	}

	public static void main(String[] args) throws Exception {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (InputStream from = CompilesOften.class.getResourceAsStream("CompilesOften$Work.class")) {
			for (int next = from.read(); next >= 0; next = from.read()) {
				bytes.write(next);
			}
		}

		System.out.println("ready");
		for (;;) {
			sink = new Loader().define(bytes.toByteArray()).getDeclaredConstructor().newInstance().toString();
		}
	}
}
