import java.io.File;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;

/** Agents that take no command: one says nothing, the other that it goes on, and after twelve seconds why it ends. */
public class SlowAgents {
	public static class Silent {
		public static void agentmain(String folder) {
			// That is all.
		}
	}

	public static class GoesOn {
		public static void agentmain(String folder) throws Exception {
			RandomAccessFile data = new RandomAccessFile(new File(folder, "data"), "rw");
			Thread thread = new Thread(() -> {
				try {
					for (long progress = 1; progress <= 12; progress++) {
						data.seek(2048);
						data.writeLong(progress);
						Thread.sleep(1000);
					}

					byte[] word = "busy".getBytes("US-ASCII");
					data.seek(0);
					data.write(ByteBuffer.allocate(36 + word.length).put("TPRF".getBytes("US-ASCII")).putInt(1).putLong(0).putLong(0).putLong(0).putInt(word.length).put(word).array());
				} catch (Exception over) {
					over.printStackTrace();
				}
			}, "goes-on");
			thread.setDaemon(true);
			thread.start();
		}
	}
}
