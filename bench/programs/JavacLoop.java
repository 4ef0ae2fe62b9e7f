import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import javax.tools.ToolProvider;

/** Compiles the Java sources of a folder again and again in its own JVM: one busy thread, deep and ever other stacks. */
public class JavacLoop {
	public static void main(String[] args) throws Exception {
		var compiler = ToolProvider.getSystemJavaCompiler();
		List<Path> sources;
		try (var files = Files.walk(Path.of(args[0]))) {
			sources = files.filter(path -> path.toString().endsWith(".java")).toList();
		}

		System.out.println("ready");
		while (true) {
			Path out = Files.createTempDirectory("tprof-bench-javac");
			try (var manager = compiler.getStandardFileManager(null, null, null)) {
				var options = List.of("-d", out.toString(), "-proc:none", "-nowarn");
				compiler.getTask(null, manager, d -> {}, options, null, manager.getJavaFileObjectsFromPaths(sources)).call();
			}

			try (var files = Files.walk(out)) {
				files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
			}
		}
	}
}
