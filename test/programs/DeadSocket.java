import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Threads "request-1" to "request-20" that read from a server of their own, which never answers. Prints "ready". */
public class DeadSocket {
	public static void main(String[] args) throws Exception {
		ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		for (int i = 1; i <= 20; i++) {
			Thread thread = new Thread(() -> ask(server), "request-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		System.out.println("ready");
		Thread.sleep(Long.MAX_VALUE / 2_000_000);
	}

	static void ask(ServerSocket server) {
		try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
			socket.getInputStream().read();
		} catch (IOException e) {
			throw new IllegalStateException(e);
		}
	}
}
