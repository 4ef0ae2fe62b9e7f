import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.util.concurrent.ThreadLocalRandom;

/** Four clients of one H2 database in memory: inserts, joins and aggregates. */
public class H2Loop {
	private static final String URL = "jdbc:h2:mem:bench;DB_CLOSE_DELAY=-1";

	public static void main(String[] args) throws Exception {
		try (Connection connection = DriverManager.getConnection(URL); var statement = connection.createStatement()) {
			statement.execute("create table item(id int primary key, kind int, name varchar, price double)");
			statement.execute("create index on item(kind)");
			statement.execute("insert into item select x, mod(x, 97), 'item ' || x, rand() from system_range(1, 20000)");
		}

		for (int client = 0; client < 4; client++) {
			new Thread(H2Loop::work, "client-" + client).start();
		}

		System.out.println("ready");
	}

	private static void work() {
		try (Connection connection = DriverManager.getConnection(URL)) {
			PreparedStatement[] queries = {
				connection.prepareStatement("select count(*), avg(price) from item where kind = ?"),
				connection.prepareStatement("update item set price = price * 1.01 where id = ?"),
				connection.prepareStatement(
					"select a.name, b.name from item a join item b on a.kind = b.kind where a.id = ? order by b.price limit 9"),
			};
			while (true) {
				for (PreparedStatement query : queries) {
					query.setInt(1, ThreadLocalRandom.current().nextInt(97));
					query.execute();
				}
			}
		} catch (Exception error) {
			throw new IllegalStateException(error);
		}
	}
}
