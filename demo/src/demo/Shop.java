package demo;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small shop with known hot lines, a contended lock and idle threads, to try tprof-top on.
 * It uses about one core and a half, and ends when its standard input is closed.
 */
public final class Shop {
	/** Written so that the compiler keeps the work. */
	static volatile long sink;

	public static void main(String[] args) throws Exception {
		start("pricing-1", new Pricing(3));
		start("pricing-2", new Pricing(5));
		start("search-1", new Search());

		Ledger ledger = new Ledger();
		for (int i = 1; i <= 4; i++) start("checkout-" + i, new Checkout(ledger));

		ExecutorService mail = Executors.newFixedThreadPool(3, named("mail-"));
		for (int i = 0; i < 3; i++) mail.submit(() -> {});
		start("outbox", new Outbox());
		start("http-accept", new Accept());
		start("cron", new Cron());

		System.out.println("ready");
		while (System.in.read() >= 0) {
			// Whoever started the shop holds this stream; its end is ours.
		}
		System.exit(0);
	}

	private static void start(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	private static ThreadFactory named(String prefix) {
		AtomicInteger next = new AtomicInteger(1);
		return work -> {
			Thread thread = new Thread(work, prefix + next.getAndIncrement());
			thread.setDaemon(true);
			return thread;
		};
	}

	static void pause(long millis) {
		try {
			Thread.sleep(millis);
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}
}

/** Burns CPU in two known places: three parts discount, one part tax. */
final class Pricing implements Runnable {
	private final int seed;

	Pricing(int seed) {
		this.seed = seed;
	}

	@Override
	public void run() {
		long price = seed;
		while (true) {
			long until = System.nanoTime() + 60_000_000L;
			while (System.nanoTime() < until) {
				price = discount(price);
				price = discount(price);
				price = discount(price);
				price = tax(price);
			}
			Shop.sink = price;
			Shop.pause(40);
		}
	}

	static long discount(long price) {
		for (int i = 0; i < 20_000; i++) {
			price = price * 6364136223846793005L + 1442695040888963407L;
		}
		return price;
	}

	static long tax(long price) {
		for (int i = 0; i < 20_000; i++) {
			price = price * 2862933555777941757L + 3037000493L;
		}
		return price;
	}
}

/** Sorts words: CPU inside the class library, called from one line here. */
final class Search implements Runnable {
	@Override
	public void run() {
		while (true) {
			String[] words = new String[4_000];
			for (int i = 0; i < words.length; i++) words[i] = Integer.toString((i * 7919) % 10_007);
			java.util.Arrays.sort(words);
			Shop.sink += words[0].length();
			Shop.pause(5);
		}
	}
}

/** Holds its lock while it waits for the disk, as some do. */
final class Ledger {
	private long balance;

	synchronized void post(long amount) {
		balance += amount;
		Shop.pause(20);
	}
}

final class Checkout implements Runnable {
	private final Ledger ledger;

	Checkout(Ledger ledger) {
		this.ledger = ledger;
	}

	@Override
	public void run() {
		for (long amount = 1; ; amount++) {
			ledger.post(amount);
			Shop.pause(3);
		}
	}
}

final class Outbox implements Runnable {
	private final LinkedBlockingQueue<String> letters = new LinkedBlockingQueue<>();

	@Override
	public void run() {
		try {
			while (true) Shop.sink += letters.take().length();
		} catch (InterruptedException e) {
			Thread.currentThread().interrupt();
		}
	}
}

final class Accept implements Runnable {
	@Override
	public void run() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			while (true) socket.accept().close();
		} catch (java.io.IOException e) {
			System.err.println(e.getMessage());
		}
	}
}

final class Cron implements Runnable {
	@Override
	public void run() {
		while (true) Shop.pause(60_000);
	}
}
