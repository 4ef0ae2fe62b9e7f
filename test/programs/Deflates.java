import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** A thread "deflates" that is all the time in libzip: it compresses, and computes checksums. Prints "ready". */
public class Deflates {
	static volatile long sink;

	public static void main(String[] args) throws Exception {
		Thread worker = new Thread(() -> {
			byte[] input = new byte[256 * 1024];
			for (int i = 0; i < input.length; i++) {
				input[i] = (byte) ((i * 31) ^ (i >> 7));
			}

			byte[] output = new byte[512 * 1024];
			for (;;) {
				compress(input, output);
				checksum(input);
			}
		}, "deflates");
		worker.setDaemon(true);
		worker.start();
		System.out.println("ready");
		while (System.in.read() >= 0) {
		}
	}

	static void compress(byte[] input, byte[] output) {
		Deflater deflater = new Deflater();
		deflater.setInput(input);
		deflater.finish();
		while (!deflater.finished()) {
			sink += deflater.deflate(output);
		}

		deflater.end();
	}

	static void checksum(byte[] input) {
		CRC32 crc = new CRC32();
		crc.update(input);
		sink += crc.getValue();
	}
}
