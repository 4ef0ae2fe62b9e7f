import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Two threads that work in a class which is redefined while they do. Is its own agent (-javaagent). Arguments: class files of other versions of Work; each line on standard input puts the next of them
 * in place, round and round, and prints "redefined" when nobody works in an older one any more.
 */
public class Redefined {
	static Instrumentation instrumentation;
	static volatile long sink;
	/** Turns that each thread has done. */
	static final AtomicLongArray TURNS = new AtomicLongArray(2);

	public static void premain(String arguments, Instrumentation given) {
		instrumentation = given;
	}

	static final class Work {
		static long turn(long x) {
			for (int i = 0; i < 500; i++) {
				x = chosen(x);
			}
			return x;
		}

		static long chosen(long x) {
			return first(x);
		}

		static long first(long x) {
			for (int i = 0; i < 100; i++) {
				x = x * 6364136223846793005L + 1442695040888963407L;
			}
			return x;
		}

		static long second(long x) {
			for (int i = 0; i < 100; i++) {
				x = x * 2862933555777941757L + 3037000493L;
			}
			return x;
		}
	}

	public static void main(String[] versions) throws Exception {
		for (int i = 0; i < TURNS.length(); i++) {
			final int worker = i;
			Thread thread = new Thread(() -> {
				for (long x = 1; true; x = Work.turn(x)) {
					sink = x;
					TURNS.incrementAndGet(worker);
				}
			}, "worker-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		System.out.println("ready");
		int next = 0;
		for (int read = System.in.read(); read != -1; read = System.in.read()) {
			if (read == '\n') {
				byte[] version = Files.readAllBytes(Paths.get(versions[next++ % versions.length]));
				instrumentation.redefineClasses(new ClassDefinition(Work.class, version));
				System.gc();
				// What was called before goes on in the old version until it returns.
				for (int i = 0; i < TURNS.length(); i++) {
					for (long from = TURNS.get(i); TURNS.get(i) < from + 2;) {
						Thread.sleep(1);
					}
				}

				System.out.println("redefined");
			}
		}
	}
}
