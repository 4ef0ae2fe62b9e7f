import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.TreeMap;
import org.apache.catalina.startup.Tomcat;

/** A Tomcat whose requests run on virtual threads, as Spring Boot sets it up, with eight clients in the same JVM. */
public class TomcatLoop {
	public static void main(String[] args) throws Exception {
		var tomcat = new Tomcat();
		tomcat.setPort(0);
		tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
		tomcat.getConnector().getProtocolHandler().setExecutor(java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor());
		var context = tomcat.addContext("", null);
		Tomcat.addServlet(context, "words", new HttpServlet() {
			@Override
			protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
				var words = new TreeMap<String, Integer>();
				for (int word = 0; word < 300; word++) {
					words.merge(Integer.toString(word * 31 % 97, 36), 1, Integer::sum);
				}

				response.getWriter().print(words);
			}
		});
		context.addServletMappingDecoded("/", "words");
		tomcat.start();
		var uri = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/");
		for (int client = 0; client < 8; client++) {
			new Thread(() -> request(uri), "client-" + client).start();
		}

		System.out.println("ready");
	}

	private static void request(URI uri) {
		try (var client = HttpClient.newHttpClient()) {
			while (true) {
				client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
				Thread.sleep(2);
			}
		} catch (Exception error) {
			throw new IllegalStateException(error);
		}
	}
}
