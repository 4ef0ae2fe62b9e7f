import java.io.File;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;

/** An agent that reports without end, as ours does, and takes no command. */
public class NeverEnds {
	public static void agentmain(String folder) throws Exception {
		RandomAccessFile data = new RandomAccessFile(new File(folder, "data"), "rw");
		// Format and phase; nothing of all else.
		byte[] report = new byte[24];
		report[0] = 4;
		report[1] = 2;
		Thread thread = new Thread(() -> {
			try {
				for (long number = 1; ; number++) {
					long at = 4096 + (number & 1) * 4096;
					data.seek(at);
					data.write(report);
					data.writeLong(number);
					data.seek(0);
					data.write(ByteBuffer.allocate(36).put("TPRF".getBytes("US-ASCII")).putInt(1).putLong(number).putLong(at).putLong(report.length).putInt(0).array());
					Thread.sleep(5);
				}
			} catch (Exception over) {
				over.printStackTrace();
			}
		}, "never-ends");
		thread.setDaemon(true);
		thread.start();
	}
}
