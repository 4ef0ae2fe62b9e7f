import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Has 30 direct buffers of a megabyte, 3 mapped ones of two, 120 class loaders, and objects whose finalizers wait. For each line that it
 * reads it prints what its MXBeans say, a line for each figure, and then "told". The argument is a file that it may write.
 * A line "garbage" makes some garbage first, "gc" calls System.gc().
 */
public class KnownMemory {
	static final List<Object> KEPT = new ArrayList<>();
	static volatile Object sink;

	static class Finalized {
		static final CountDownLatch NEVER = new CountDownLatch(1);

		@Override
		@SuppressWarnings({"deprecation", "removal"})
		protected void finalize() throws InterruptedException {
			NEVER.await();
		}
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 30; i++) {
			KEPT.add(ByteBuffer.allocateDirect(1 << 20));
		}

		try (RandomAccessFile file = new RandomAccessFile(args[0], "rw"); FileChannel channel = file.getChannel()) {
			file.setLength(2 << 20);
			for (int i = 0; i < 3; i++) {
				KEPT.add(channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 << 20));
			}
		}

		URL[] classes = {KnownMemory.class.getProtectionDomain().getCodeSource().getLocation()};
		for (int i = 0; i < 120; i++) {
			KEPT.add(new URLClassLoader(classes, null).loadClass(Finalized.class.getName()));
		}

		makesFinalized();
		System.gc();
		// Once to load the classes of all that it says.
		tell();
		System.out.println("ready");
		BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			if (line.equals("garbage")) {
				for (int i = 0; i < 2000; i++) {
					sink = new byte[100_000];
				}
			} else if (line.equals("gc")) {
				System.gc();
			}

			System.out.print(tell() + "told\n");
		}
	}

	static void makesFinalized() {
		for (int i = 0; i < 50; i++) {
			sink = new Finalized();
		}

		sink = null;
	}

	static String tell() {
		StringBuilder text = new StringBuilder();
		for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
			if (pool.getName().equals("direct") || pool.getName().equals("mapped")) {
				text.append(pool.getName()).append("Bytes ").append(pool.getMemoryUsed()).append('\n');
				text.append(pool.getName()).append("Buffers ").append(pool.getCount()).append('\n');
			}
		}

		long committed = 0;
		long reserved = 0;
		for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
			if (pool.getName().startsWith("Code")) {
				committed += pool.getUsage().getCommitted();
				reserved += pool.getUsage().getMax();
			}
		}

		text.append("codeCacheBytes ").append(committed).append('\n');
		text.append("codeCacheMaxBytes ").append(reserved).append('\n');
		text.append("pendingFinalizers ")
			.append(ManagementFactory.getMemoryMXBean().getObjectPendingFinalizationCount()).append('\n');
		text.append("loadedClasses ")
			.append(ManagementFactory.getClassLoadingMXBean().getLoadedClassCount()).append('\n');
		return text.toString();
	}
}
