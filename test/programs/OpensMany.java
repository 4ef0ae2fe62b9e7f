import java.io.File;
import java.io.FileOutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/**
Prints "ready", then opens what each line asks for, never closes it, and prints `has N`: `sockets PORT COUNT` connects to
a server here, `files FOLDER COUNT` makes files and deletes every second one.
*/
public class OpensMany {
	static final List<Object> opened = new ArrayList<>();

	public static void main(String[] args) throws Exception {
		Scanner in = new Scanner(System.in);
		System.out.println("ready");
		while (in.hasNext()) {
			String kind = in.next();
			String where = in.next();
			int count = in.nextInt();
			for (int i = 0; i < count; i++) {
				if (kind.equals("sockets")) {
					opened.add(new Socket("127.0.0.1", Integer.parseInt(where)));
				} else {
					File file = new File(where, "file-" + i);
					opened.add(new FileOutputStream(file));
					if (i % 2 == 1) {
						file.delete();
					}
				}
			}

			System.out.println("has " + opened.size());
		}
	}
}
