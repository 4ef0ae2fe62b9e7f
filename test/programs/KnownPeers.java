import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
Threads that wait for peers that are known, each named for what it does. Argument: the path of a Unix socket to make, or
nothing (before JDK 16). Prints a line `name port` for each port of a server, then "ready".
*/
public class KnownPeers {
	static final ReentrantLock LOCK = new ReentrantLock();

	/** Its initialiser never ends. */
	static class NeverMade {
		static final int VALUE = forever();
	}

	static int forever() {
		try {
			Thread.sleep(Long.MAX_VALUE / 2_000_000);
		} catch (InterruptedException ended) {
			return 1;
		}

		return 2;
	}

	public static void main(String[] args) throws Exception {
		ServerSocket v4 = serverAt("v4", InetAddress.getByName("127.0.0.1"));
		ServerSocket v6 = serverAt("v6", InetAddress.getByName("::1"));
		ServerSocket acceptor = serverAt("acceptor", InetAddress.getByName("0.0.0.0"));
		Socket to4 = connected(v4);
		Socket to4WithLimit = connected(v4);
		to4WithLimit.setSoTimeout(1_000_000_000);
		Socket to6 = connected(v6);
		Socket client = connected(v4);
		v4.accept();
		v4.accept();
		Socket accepted = v4.accept();
		System.out.println("client " + client.getLocalPort());
		start("read-v4", () -> to4.getInputStream().read());
		start("read-v4-with-limit", () -> to4WithLimit.getInputStream().read());
		start("read-v6", () -> to6.getInputStream().read());
		start("read-client", () -> accepted.getInputStream().read());
		start("write-v6", () -> {
			byte[] much = new byte[1 << 20];
			while (true) {
				to6.getOutputStream().write(much);
			}
		});
		start("accept", () -> acceptor.accept());
		startConnecting();
		DatagramSocket udp = new DatagramSocket(new InetSocketAddress("127.0.0.1", 0));
		System.out.println("udp " + udp.getLocalPort());
		start("receive-udp", () -> {
			udp.receive(new java.net.DatagramPacket(new byte[10], 10));
			return 0;
		});
		startSelectors(v4);
		startChild();
		InputStream in = System.in;
		start("read-stdin", () -> in.read());
		start("wait-in-queue", () -> new LinkedBlockingQueue<String>().take());
		Condition condition = LOCK.newCondition();
		LOCK.lock();
		start("wait-for-lock", () -> {
			LOCK.lock();
			return 0;
		});
		ReentrantLock kept = new ReentrantLock();
		Thread ended = new Thread(kept::lock, "ended-holder");
		ended.start();
		ended.join();
		start("wait-for-ended", () -> {
			kept.lock();
			return 0;
		});
		start("wait-for-condition", () -> {
			ReentrantLock own = new ReentrantLock();
			own.lock();
			own.newCondition().await();
			return 0;
		});
		start("sleep", () -> forever());
		start("run-initialiser", () -> NeverMade.VALUE);
		Thread.sleep(200);
		start("wait-for-initialiser", () -> NeverMade.VALUE);
		if (args.length > 0) {
			startUnix(args[0]);
		}

		Thread.sleep(500);
		System.out.println("ready");
		forever();
	}

	static ServerSocket serverAt(String name, InetAddress address) throws Exception {
		ServerSocket server = new ServerSocket(0, 50, address);
		System.out.println(name + " " + server.getLocalPort());
		return server;
	}

	static Socket connected(ServerSocket server) throws Exception {
		return new Socket(server.getInetAddress(), server.getLocalPort());
	}

	/** A server whose queue is full does not answer. */
	static void startConnecting() throws Exception {
		ServerSocket full = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
		System.out.println("full " + full.getLocalPort());
		for (int i = 0; i < 8; i++) {
			start("connect-" + i, () -> connected(full).getInputStream().read());
		}
	}

	/** One for a server's connections, one for answers of another. */
	static void startSelectors(ServerSocket v4) throws Exception {
		ServerSocketChannel listening = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
		System.out.println("selector " + listening.socket().getLocalPort());
		listening.configureBlocking(false);
		Selector accepting = Selector.open();
		listening.register(accepting, SelectionKey.OP_ACCEPT);
		start("select-accept", () -> accepting.select());
		SocketChannel answers = SocketChannel.open(new InetSocketAddress("127.0.0.1", v4.getLocalPort()));
		answers.configureBlocking(false);
		Selector reading = Selector.open();
		answers.register(reading, SelectionKey.OP_READ);
		start("select-read", () -> reading.select());
	}

	static void startChild() throws Exception {
		Process child = new ProcessBuilder("sleep", "300").start();
		Runtime.getRuntime().addShutdownHook(new Thread(child::destroyForcibly));
		start("wait-for-child", () -> child.waitFor());
		start("read-child", () -> child.getInputStream().read());
	}

	/** By reflection: JDK 16 and later. */
	static void startUnix(String path) throws Exception {
		SocketAddress address = (SocketAddress) Class.forName("java.net.UnixDomainSocketAddress").getMethod("of", String.class).invoke(null, path);
		ProtocolFamily unix = StandardProtocolFamily.valueOf("UNIX");
		Method openServer = ServerSocketChannel.class.getMethod("open", ProtocolFamily.class);
		ServerSocketChannel server = ((ServerSocketChannel) openServer.invoke(null, unix)).bind(address);
		SocketChannel client = (SocketChannel) SocketChannel.class.getMethod("open", ProtocolFamily.class).invoke(null, unix);
		client.connect(address);
		SocketChannel accepted = server.accept();
		start("read-unix", () -> client.read(ByteBuffer.allocate(1)));
		start("read-unix-client", () -> accepted.read(ByteBuffer.allocate(1)));
		start("accept-unix", () -> server.accept());
	}

	static void start(String name, Callable<?> wait) {
		Thread thread = new Thread(() -> {
			try {
				wait.call();
			} catch (Exception ended) {
				ended.printStackTrace();
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
	}
}
