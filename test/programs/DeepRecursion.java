/** Two threads that are thousands of calls deep most of the time; another method of the class is called now and then. */
public class DeepRecursion {
	static class Nested {
		static int parse(int depth) throws InterruptedException {
			if (depth == 0) {
				Thread.sleep(20);
				return 0;
			}

			return parse(depth - 1) + 1;
		}

		static int rare() {
			return 1;
		}
	}

	static class Flat {
		static int work() throws InterruptedException {
			Thread.sleep(5);
			return Nested.rare();
		}
	}

	public static void main(String[] args) throws Exception {
		int depth = Integer.parseInt(args[0]);
		for (int number = 0; number < 2; number++) {
			Thread thread = new Thread(null, () -> {
				try {
					// Shallow calls first: the code is compiled when it gets deep.
					for (int call = 0; call < 20; call++) {
						parseOften(50);
					}

					System.out.println("ready");
					while (true) {
						Nested.parse(depth);
					}
				} catch (InterruptedException error) {
					throw new IllegalStateException(error);
				}
			}, "deep-" + number, 1 << 20);
			thread.start();
		}

		while (true) {
			Flat.work();
		}
	}

	private static void parseOften(int depth) throws InterruptedException {
		Nested.parse(depth);
	}
}
