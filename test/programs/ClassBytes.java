import java.io.FileOutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/** An agent that writes the bytes of a loaded class, as a transformer is given them, to a file: "name=file". */
public class ClassBytes {
	public static void agentmain(String args, Instrumentation instrumentation) throws Exception {
		final String name = args.substring(0, args.indexOf('='));
		final String file = args.substring(args.indexOf('=') + 1);
		ClassFileTransformer writer = new ClassFileTransformer() {
			@Override
			public byte[] transform(ClassLoader loader, String internalName, Class<?> type, ProtectionDomain domain, byte[] bytes) {
				if (internalName != null && name.equals(internalName.replace('/', '.'))) {
					try (FileOutputStream out = new FileOutputStream(file)) {
						out.write(bytes);
					} catch (Exception error) {
						throw new IllegalStateException(error);
					}
				}

				return null;
			}
		};
		instrumentation.addTransformer(writer, true);
		try {
			for (Class<?> type : instrumentation.getAllLoadedClasses()) {
				if (type.getName().equals(name)) {
					instrumentation.retransformClasses(type);
				}
			}
		} finally {
			instrumentation.removeTransformer(writer);
		}
	}
}
