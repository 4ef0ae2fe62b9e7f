import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Threads that wait in a selector, work for a moment when a byte comes, and pass it on to the next. */
public class WorksBetweenWaits {
    static final Pipe[] pipes = new Pipe[4];
    static volatile long sink;

    public static void main(String[] args) throws Exception {
        for (int at = 0; at < pipes.length; at++) {
            pipes[at] = Pipe.open();
        }

        for (int at = 0; at < pipes.length; at++) {
            int me = at;
            new Thread(() -> serve(pipes[me].source(), pipes[(me + 1) % pipes.length].sink()), "worker-" + at).start();
        }

        System.out.println("ready");
        while (true) {
            pipes[0].sink().write(ByteBuffer.wrap(new byte[] {12}));
            Thread.sleep(2);
        }
    }

    static void serve(Pipe.SourceChannel in, Pipe.SinkChannel out) {
        try {
            Selector selector = Selector.open();
            in.configureBlocking(false);
            in.register(selector, SelectionKey.OP_READ);
            ByteBuffer left = ByteBuffer.allocate(1);
            while (true) {
                selector.select();
                selector.selectedKeys().clear();
                left.clear();
                if (in.read(left) == 1) {
                    work();
                    if (left.get(0) > 1) {
                        out.write(ByteBuffer.wrap(new byte[] {(byte) (left.get(0) - 1)}));
                    }
                }
            }
        } catch (Exception error) {
            error.printStackTrace();
        }
    }

    static void work() {
        long sum = sink;
        for (int step = 0; step < 30_000; step++) {
            sum = sum * 31 + (sum ^ step) % 7;
        }

        sink = sum;
    }
}
