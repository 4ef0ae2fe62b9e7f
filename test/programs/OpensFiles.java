import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/**
 * Prints "ready". At the line "open" it opens files until the system refuses one, and prints "full"; from then on it
 * takes each file descriptor that becomes free. At "close" it closes them all and prints "closed".
 */
public class OpensFiles {
	static final List<Closeable> files = new ArrayList<>();
	static boolean isTaking;

	public static void main(String[] args) throws IOException, InterruptedException {
		take();
		Thread taker = new Thread(OpensFiles::takeAll);
		taker.setDaemon(true);
		taker.start();
		Scanner in = new Scanner(System.in);
		System.out.println("ready");
		while (in.hasNextLine()) {
			if (in.nextLine().equals("open")) {
				synchronized (files) {
					isTaking = true;
					while (take()) {
						// Until there is none.
					}
				}

				System.out.println("full");
				continue;
			}

			synchronized (files) {
				isTaking = false;
				for (Closeable file : files) {
					file.close();
				}

				files.clear();
			}

			System.out.println("closed");
		}
	}

	static void takeAll() {
		for (;;) {
			synchronized (files) {
				if (isTaking) {
					take();
				}
			}

			Thread.yield();
		}
	}

	static boolean take() {
		try {
			files.add(new FileInputStream("/dev/null"));
			return true;
		} catch (IOException error) {
			return false;
		}
	}
}
