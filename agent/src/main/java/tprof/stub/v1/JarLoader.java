package tprof.stub.v1;

import java.io.*;
import java.security.*;
import java.util.*;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Loads classes from a jar, which it reads once and which may then be removed. Sees no classes of the application. */
final class JarLoader extends ClassLoader {
	private final Map<String, byte[]> entries = new HashMap<String, byte[]>();
	private final ProtectionDomain domain;

	JarLoader(File jar) throws IOException {
		super(null);
		Permissions all = new Permissions();
		all.add(new AllPermission());
		domain = new ProtectionDomain(null, all);
		try (ZipInputStream in = new ZipInputStream(new FileInputStream(jar))) {
			byte[] part = new byte[8192];
			for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
				ByteArrayOutputStream bytes = new ByteArrayOutputStream();
				for (int count = in.read(part); count >= 0; count = in.read(part)) {
					bytes.write(part, 0, count);
				}

				entries.put(entry.getName(), bytes.toByteArray());
			}
		}
	}

	@Override
	protected Class<?> findClass(String name) throws ClassNotFoundException {
		// Needed once: after that the class is defined.
		byte[] bytes = entries.remove(name.replace('.', '/') + ".class");
		if (bytes == null) {
			throw new ClassNotFoundException(name);
		}

		return defineClass(name, bytes, 0, bytes.length, domain);
	}

	@Override
	public InputStream getResourceAsStream(String name) {
		byte[] bytes = entries.get(name);
		return bytes == null ? null : new ByteArrayInputStream(bytes);
	}
}
