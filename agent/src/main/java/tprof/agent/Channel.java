package tprof.agent;

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The two files between the tool and the agent. The tool creates them; we remove their names at once, so that nothing is left
 * however either side ends. They are never mapped: a mapped write to a full disk crashes JDK 8 and 11.  control, written by the
 * tool: heartbeat (8 bytes), number of the command (8), its length (4), its text. data, written by the agent: a header, then
 * two places for reports, used alternately. Header: "TPRF", 1 (4 bytes each); number, position and length of the newest report
 * (8 each); length (4) and text of the exit message; at PROGRESS a number (8) that changes while a command is executed. A
 * report ends with its number.
 */
final class Channel implements Closeable {
	private static final int HEADER = 4096;
	private static final int PROGRESS = 2048;
	private static final long PROGRESS_NS = 200_000_000;
	private static final int MOST_STILL = 3;
	private static final long PATIENCE_NS = 10_000_000_000L;
	private static final int MOST_COMMAND = 64 * 1024;
	private static final int MOST_LAST_WORD = 1000;
	static final int MOST_REPORT = 16 * 1024 * 1024;

	private final RandomAccessFile control;
	private final RandomAccessFile data;
	private final byte[] words = new byte[20];
	private long heartbeat;
	private long heartbeatAt;
	/** Number of checks since the heartbeat last changed. */
	private int still;
	/** Number of the newest command read. */
	long command;
	private long report;
	private long at;
	private int length;
	/** The session's thread. */
	private volatile Thread ours;
	private long progress;
	private long progressAt = System.nanoTime();

	Channel(File folder) throws IOException {
		control = new RandomAccessFile(new File(folder, "control"), "r");
		RandomAccessFile reports = null;
		try {
			reports = new RandomAccessFile(new File(folder, "data"), "rw");
			// Allocates the header's page: a disk that fills up later does not matter.
			reports.write(new byte[HEADER]);
		} catch (IOException error) {
			control.close();
			if (reports != null) {
				reports.close();
			}

			throw error;
		}

		data = reports;
		writeHeader("");
		for (String name : new String[] {"control", "data", "agent.jar"}) {
			new File(folder, name).delete();
		}

		folder.delete();
	}

	/**
	 * Whether the tool is gone: no heartbeat for ten seconds and in three calls of this method. While a host is suspended,
	 * time passes without calls.
	 */
	boolean isDeserted() {
		long now = System.nanoTime();
		long seen;
		try {
			seen = look().getLong(0);
		} catch (IOException unreadable) {
			return true;
		}

		still = seen == heartbeat ? still + 1 : 0;
		heartbeatAt = still == 0 ? now : heartbeatAt;
		heartbeat = seen;
		return still >= MOST_STILL && now - heartbeatAt >= PATIENCE_NS;
	}

	/** Returns the text of a new command; null if there is none. */
	String poll() throws IOException {
		ours = Thread.currentThread();
		ByteBuffer seen = look();
		long number = seen.getLong(8);
		int size = seen.getInt(16);
		if (number == command || size < 0 || size > MOST_COMMAND) {
			return null;
		}

		byte[] text = new byte[size];
		control.readFully(text);
		if (look().getLong(8) != number) {
			return null;
		}

		command = number;
		return new String(text, StandardCharsets.UTF_8);
	}

	private ByteBuffer look() throws IOException {
		control.seek(0);
		control.readFully(words);
		return ByteBuffer.wrap(words);
	}

	void write(byte[] bytes, int count) throws IOException {
		long number = report + 1;
		long to = HEADER + (number & 1) * MOST_REPORT;
		data.seek(to);
		data.write(bytes, 0, count);
		data.write(bytesOf(number));
		report = number;
		at = to;
		length = count;
		writeHeader("");
	}

	/** Signals progress, a few times a second; does nothing on other threads than the session's. */
	void goOn() {
		long now = System.nanoTime();
		if (Thread.currentThread() == ours && now - progressAt > PROGRESS_NS) {
			progressAt = now;
			try {
				data.seek(PROGRESS);
				data.write(bytesOf(++progress));
			} catch (IOException unheard) {
				// Writing the report will fail too, and is reported.
			}
		}
	}

	private static byte[] bytesOf(long number) {
		return ByteBuffer.allocate(8).putLong(0, number).array();
	}

	void writeLastWord(String text) {
		try {
			writeHeader(text);
		} catch (IOException unheard) {
			// The tool notices that no report follows.
		}
	}

	private void writeHeader(String lastWord) throws IOException {
		byte[] text = lastWord.getBytes(StandardCharsets.UTF_8);
		int size = Math.min(text.length, MOST_LAST_WORD);
		ByteBuffer header = ByteBuffer.allocate(36 + size);
		header.put("TPRF".getBytes(StandardCharsets.US_ASCII)).putInt(1).putLong(report).putLong(at).putLong(length).putInt(size).put(text, 0, size);
		data.seek(0);
		data.write(header.array());
	}

	@Override
	public void close() throws IOException {
		control.close();
		data.close();
	}
}
