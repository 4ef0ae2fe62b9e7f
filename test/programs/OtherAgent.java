import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;

/** An agent as others have it: changes a text of KnownTraces whenever that is loaded or retransformed. */
public class OtherAgent implements ClassFileTransformer {
	public static void premain(String arguments, Instrumentation instrumentation) {
		instrumentation.addTransformer(new OtherAgent(), true);
	}

	@Override
	public byte[] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
		if (!"KnownTraces".equals(name)) {
			return null;
		}

		String text = new String(bytes, StandardCharsets.ISO_8859_1);
		return text.replace("through five levels", "THROUGH FIVE LEVELS").getBytes(StandardCharsets.ISO_8859_1);
	}
}
