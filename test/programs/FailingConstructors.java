/**
Constructors whose super(...) or this(...) throws, which methods that are not traced catch. Reads lines from its standard input: a number makes so many of each kind, every other one of which fails, and ends with one that fails;
"end" ends it.
*/
public class FailingConstructors {
	static volatile long sink;

	static class Base {
		Base(int number) {
			if (number % 2 == 1) {
				throw new IllegalArgumentException("odd");
			}
		}
	}

	static class Derived extends Base {
		Derived(int number) {
			super(number);
			sink++;
		}
	}

	static class Further extends Derived {
		Further(int number) {
			super(number);
		}

		Further(int number, long times) {
			this((int) (number * times));
		}
	}

	/** Calls a method while its object is made, before it may throw. */
	static class Prepared {
		Prepared(int number) {
			prepare();
			if (number % 2 == 1) {
				throw new IllegalArgumentException("odd");
			}
		}

		void prepare() {
			sink++;
		}
	}

	static class Special extends Prepared {
		Special(int number) {
			super(number);
		}
	}

	/** Makes others of its own kind within super(...). */
	static class Nesting {
		Nesting(int depth) {
			if (depth > 0) {
				nest(depth);
				step();
			}
		}
	}

	static class Nested extends Nesting {
		Nested(int depth) {
			super(depth);
			if (depth == 1) {
				throw new IllegalArgumentException("one");
			}
		}
	}

	static class Failing extends Nesting {
		Failing(int depth) {
			super(fail(depth));
		}

		static int fail(int depth) {
			throw new IllegalArgumentException("before super");
		}
	}

	static void nest(int depth) {
		try {
			sink += new Nested(depth - 1).hashCode();
		} catch (IllegalArgumentException expected) {
			sink++;
		}

		try {
			sink += new Failing(depth).hashCode();
		} catch (IllegalArgumentException expected) {
			sink++;
		}

		try {
			sink += new Derived(1).hashCode();
		} catch (IllegalArgumentException expected) {
			sink++;
		}
	}

	static void step() {
		sink++;
	}

	interface Maker {
		Object make(int number);
	}

	static void attempt(Maker maker, int number) {
		try {
			sink += maker.make(number).hashCode();
		} catch (IllegalArgumentException expected) {
			sink++;
		}
	}

	public static void main(String[] args) throws Exception {
		Maker[] makers = {Derived::new, Further::new, number -> new Further(number, 3L), Special::new};
		System.out.println("ready");
		java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
		for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
			int count = Integer.parseInt(line);
			for (Maker maker : makers) {
				for (int number = 0; number < count; number++) {
					attempt(maker, number);
					step();
				}
			}

			attempt(Nested::new, 3);
			attempt(makers[0], 1);
			System.out.println("done " + line);
		}
	}
}
