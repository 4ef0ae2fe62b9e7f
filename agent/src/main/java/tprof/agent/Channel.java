package tprof.agent;

import java.io.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The two files by which the tool and we speak. Both have made them before we came; their names are removed at once, so that
 * nothing is left behind however either of us ends. They are never mapped: a mapped write to a full disk crashes JDK 8 and 11.
 *
 * control, written by the tool: heartbeat (8 bytes), number of the command (8), its length (4), its text.
 * data, written by us: a header, then two places for reports, written in turn. The header: "TPRF", 1 (4 bytes each), the number
 * of the newest report, where it is, its length (8 each), the length of a last word (4) and that; behind these a number (8) that
 * changes while we work at a command. A report ends with its number.
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
	/** Looks since then. */
	private int still;
	/** The number of the newest command taken. */
	long command;
	private long report;
	private long at;
	private int length;
	/** Who takes commands. */
	private volatile Thread ours;
	private long progress;
	private long progressAt = System.nanoTime();

	Channel(File folder) throws IOException {
		control = new RandomAccessFile(new File(folder, "control"), "r");
		RandomAccessFile reports = null;
		try {
			reports = new RandomAccessFile(new File(folder, "data"), "rw");
			// A page of its own is there from now on, even when the disk is full.
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
	 * Whether the tool is gone: no heartbeat for ten seconds and three calls of this. Where a host was suspended that long,
	 * only time has passed, and no calls.
	 */
	boolean isDeserted() {
		long now = System.nanoTime();
		long seen;
		try {
			seen = look().getLong();
		} catch (IOException unreadable) {
			return true;
		}

		still = seen == heartbeat ? still + 1 : 0;
		heartbeatAt = still == 0 ? now : heartbeatAt;
		heartbeat = seen;
		return still >= MOST_STILL && now - heartbeatAt >= PATIENCE_NS;
	}

	/** The command's text if a new one has come, otherwise null. */
	String poll() throws IOException {
		ours = Thread.currentThread();
		ByteBuffer seen = look();
		seen.getLong();
		long number = seen.getLong();
		int size = seen.getInt();
		if (number == command || size < 0 || size > MOST_COMMAND) {
			return null;
		}

		byte[] text = new byte[size];
		control.readFully(text);
		ByteBuffer again = look();
		again.getLong();
		if (again.getLong() != number) {
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

	/** We still work at a command; told a few times a second. Nothing happens on other threads. */
	void goOn() {
		long now = System.nanoTime();
		if (Thread.currentThread() == ours && now - progressAt > PROGRESS_NS) {
			progressAt = now;
			try {
				data.seek(PROGRESS);
				data.write(bytesOf(++progress));
			} catch (IOException unheard) {
				// A report will say so.
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
			// The tool sees that nothing more comes.
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
