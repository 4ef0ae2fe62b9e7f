import java.io.FileInputStream;
import java.io.InputStream;

/** A thread "reads-zeros" that is all the time in FileInputStream.readBytes and at work there; "main" waits in the same call, for its input's end. Prints "ready". */
public class ReadsZeros {
	public static void main(String[] args) throws Exception {
		Thread reader = new Thread(() -> {
			// Small enough for the JVM to read without an allocation of its own.
			byte[] buffer = new byte[8192];
			try (InputStream zeros = new FileInputStream("/dev/zero")) {
				while (zeros.read(buffer) > 0) {
				}
			} catch (Exception e) {
				throw new IllegalStateException(e);
			}
		}, "reads-zeros");
		reader.setDaemon(true);
		reader.start();
		System.out.println("ready");
		while (System.in.read() >= 0) {
		}
	}
}
