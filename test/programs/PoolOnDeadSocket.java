import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
A pool of eight threads whose tasks all read from a server of the program's own that never answers, on connections that
it has accepted. Prints the server's port, and "ready".
*/
public class PoolOnDeadSocket {
	public static void main(String[] args) throws Exception {
		ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		System.out.println("port " + server.getLocalPort());
		ExecutorService pool = Executors.newFixedThreadPool(8);
		for (int i = 0; i < 8; i++) {
			Socket connection = new Socket(server.getInetAddress(), server.getLocalPort());
			server.accept();
			pool.execute(() -> query(connection));
		}

		Thread.sleep(200);
		System.out.println("ready");
	}

	static int query(Socket connection) {
		try {
			return connection.getInputStream().read();
		} catch (java.io.IOException ended) {
			return -1;
		}
	}
}
