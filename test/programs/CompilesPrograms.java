import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles programs, each into a folder of its own. Arguments: the compiler's options, `--`, and pairs of source and
 * folder. Prints the folders of the programs that compile.
 */
public class CompilesPrograms {
	public static void main(String[] args) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		int end = Arrays.asList(args).indexOf("--");
		List<String> options = Arrays.asList(args).subList(0, end);
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			for (int at = end + 1; at < args.length; at += 2) {
				files.setLocation(StandardLocation.CLASS_OUTPUT, Collections.singleton(new File(args[at + 1])));
				boolean isCompiled = compiler.getTask(new StringWriter(), files, null, options, null,
						files.getJavaFileObjects(args[at])).call();
				if (isCompiled) {
					System.out.println(args[at + 1]);
				}
			}
		}
	}
}
