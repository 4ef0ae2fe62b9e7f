import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProtectionDomain;

/**
 * An agent (-javaagent, its argument a class file) that puts another version of the class Extended in place while that is
 * loaded, but not when it is retransformed, as agents do that add members to classes. Then calls a method of it again and
 * again, and one of the class Plain.
 */
public class AddsMembers implements ClassFileTransformer {
	static final class Extended {
		/* members */

		static int work(int value) {
			return value + 1;
		}
	}

	static final class Plain {
		static int rest(int value) {
			return value + 2;
		}
	}

	private static byte[] version;

	public static void premain(String file, Instrumentation instrumentation) throws Exception {
		version = Files.readAllBytes(Paths.get(file));
		instrumentation.addTransformer(new AddsMembers(), true);
	}

	@Override
	public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
		return type == null && "AddsMembers$Extended".equals(name) ? version : null;
	}

	public static void main(String[] args) throws Exception {
		System.out.println("ready");
		for (int value = 0;; value = Plain.rest(Extended.work(value))) {
			Thread.sleep(5);
		}
	}
}
