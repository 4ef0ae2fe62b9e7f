import java.util.SplittableRandom;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Indexes and searches texts with Lucene, one thread and its merges. */
public class LuceneLoop {
	public static void main(String[] args) throws Exception {
		var analyzer = new StandardAnalyzer();
		var random = new SplittableRandom(1);
		System.out.println("ready");
		while (true) {
			try (var directory = new ByteBuffersDirectory()) {
				try (var writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
					for (int document = 0; document < 5000; document++) {
						var text = new StringBuilder();
						for (int word = 0; word < 60; word++) {
							text.append(Long.toString(random.nextLong(5000), 36)).append(' ');
						}

						var entry = new Document();
						entry.add(new TextField("text", text.toString(), Field.Store.YES));
						writer.addDocument(entry);
					}
				}

				try (var reader = DirectoryReader.open(directory)) {
					var searcher = new IndexSearcher(reader);
					var parser = new QueryParser("text", analyzer);
					for (int search = 0; search < 2000; search++) {
						searcher.search(parser.parse(Long.toString(search, 36) + " OR a" + search + "~1"), 10);
					}
				}
			}
		}
	}
}
