import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Pairs of virtual threads that send a few bytes to and fro over sockets: they mount for a moment, to read and write. */
public class VirtualEcho {
    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        for (int pair = 0; pair < 20; pair++) {
            Socket near = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket far = server.accept();
            Thread.ofVirtual().start(() -> echo(far));
            Thread.ofVirtual().start(() -> echo(near));
            near.getOutputStream().write(new byte[100]);
        }

        System.out.println("ready");
        Thread.sleep(Long.MAX_VALUE);
    }

    static void echo(Socket socket) {
        byte[] bytes = new byte[100];
        try {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            while (true) {
                out.write(bytes, 0, in.readNBytes(bytes, 0, bytes.length));
            }
        } catch (Exception error) {
            error.printStackTrace();
        }
    }
}
