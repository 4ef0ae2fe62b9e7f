import static org.apache.spark.sql.functions.countDistinct;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.sum;

import org.apache.spark.sql.SparkSession;

/** Aggregates with Spark SQL: each query generates classes, and compilations and collections never end. */
public class SparkLoop {
	public static void main(String[] args) {
		SparkSession session = SparkSession.builder().master("local[2]").appName("loop")
			.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
			.config("spark.sql.warehouse.dir", System.getProperty("java.io.tmpdir")).getOrCreate();
		System.out.println("ready");
		while (true) {
			session.range(0, 8_000_000L)
				.selectExpr("id % 1000 as k", "cast(id as string) as v", "rand() as r").groupBy("k")
				.agg(sum("r"), max(expr("substr(v, 2)")), countDistinct("v")).count();
		}
	}
}
