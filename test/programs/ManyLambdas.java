import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
Makes capturing lambdas, method references and proxies all the time, with classes named as other languages' compilers name theirs, and counts what goes wrong. Reads lines: "check" waits until every
place has been passed again, with new call sites of lambdas too, and prints "rounds N errors N" and the first error; "end" ends it.
*/
public class ManyLambdas {
	static final AtomicLong rounds = new AtomicLong();
	static final AtomicLong errors = new AtomicLong();
	/** Whether call sites that have made no lambda yet are to be passed. */
	static final AtomicLong wanted = new AtomicLong(1);
	static volatile Throwable first;
	static volatile long sink;

	interface Shape {
		long area(long size);
	}

	/** Implemented by lambdas and method references alone. */
	interface OnlyLambdas {
		long apply(long value);
	}

	static class Circle implements Shape {
		@Override
		public long area(long size) {
			return size * 3;
		}
	}

	/** As Groovy names closures. */
	static class _run_closure1 implements Callable<Long> {
		final long captured;

		_run_closure1(long captured) {
			this.captured = captured;
		}

		@Override
		public Long call() {
			return doCall(captured);
		}

		Long doCall(long it) {
			return it + 1;
		}
	}

	/** As Kotlin names what a file has, companions, default arguments and lambdas. */
	static class ManyLambdasKt {
		static long plus$default(long value, int mask) {
			return (mask & 1) == 0 ? value : value + 1;
		}

		static class Companion {
			long getValue$main_module(long value) {
				return value;
			}
		}

		static final Companion Companion = new Companion();
	}

	/** As lambdas were named by tools of before Java 8: an ordinary class. */
	static class ManyLambdas$$Lambda$1 implements OnlyLambdas {
		@Override
		public long apply(long value) {
			return value + 5;
		}
	}

	static long twice(long value) {
		return value * 2;
	}

	long plusOne(long value) {
		return value + 1;
	}

	static void expect(long is, long wanted) {
		if (is != wanted) {
			throw new IllegalStateException(is + " instead of " + wanted);
		}
	}

	static void round(final long n) throws Exception {
		OnlyLambdas capturing = value -> value + n;
		expect(capturing.apply(1), n + 1);
		OnlyLambdas plain = value -> value * 7;
		expect(plain.apply(2), 14);
		OnlyLambdas reference = ManyLambdas::twice;
		expect(reference.apply(n), 2 * n);
		ManyLambdas object = new ManyLambdas();
		OnlyLambdas bound = object::plusOne;
		expect(bound.apply(n), n + 1);
		Supplier<Shape> constructor = Circle::new;
		expect(constructor.get().area(n), 3 * n);
		Function<Long, Function<Long, Long>> nested = a -> b -> a + b + n;
		expect(nested.apply(1L).apply(2L), n + 3);
		IntSupplier text = () -> ("" + n).length();
		expect(text.getAsInt(), Long.toString(n).length());
		Shape shape = new Shape() {
			@Override
			public long area(long size) {
				return size + n;
			}
		};
		expect(shape.area(1), n + 1);
		expect(proxied(new Circle()).area(n), 3 * n);
		expect(new _run_closure1(n).call(), n + 1);
		expect(ManyLambdasKt.plus$default(n, 1), n + 1);
		expect(ManyLambdasKt.Companion.getValue$main_module(n), n);
		expect(new ManyLambdas$$Lambda$1().apply(n), n + 5);
		List<Long> list = new ArrayList<Long>();
		for (long i = 0; i < 3; i++) {
			list.add(i + n);
		}

		expect(list.stream().map(each -> each - n).filter(each -> each > 0).mapToLong(Long::longValue).sum(), 3);
	}

	static Shape proxied(final Shape to) {
		return (Shape) Proxy.newProxyInstance(ManyLambdas.class.getClassLoader(), new Class<?>[] {Shape.class}, new InvocationHandler() {
			@Override
			public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
				return method.invoke(to, arguments);
			}
		});
	}

	/** Another copy of this class, whose call sites have made no lambda yet. */
	static class Anew extends ClassLoader {
		Anew() {
			super(ManyLambdas.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith("ManyLambdas")) {
				return super.loadClass(name, resolve);
			}

			Class<?> known = findLoadedClass(name);
			if (known != null) {
				return known;
			}

			try (java.io.InputStream in = getParent().getResourceAsStream(name + ".class")) {
				java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
				for (int each = in.read(); each >= 0; each = in.read()) {
					bytes.write(each);
				}

				return defineClass(name, bytes.toByteArray(), 0, bytes.size());
			} catch (java.io.IOException error) {
				throw new ClassNotFoundException(name, error);
			}
		}
	}

	static void tried(Callable<?> action) {
		try {
			action.call();
		} catch (Throwable error) {
			Throwable cause = error instanceof java.lang.reflect.InvocationTargetException ? error.getCause() : error;
			errors.incrementAndGet();
			first = first == null ? cause : first;
		}
	}

	static void work() {
		for (long n = 0;; n++) {
			final long number = n;
			tried(new Callable<Object>() {
				@Override
				public Object call() throws Exception {
					round(number);
					return null;
				}
			});
			if (wanted.getAndSet(0) > 0) {
				tried(new Callable<Object>() {
					@Override
					public Object call() throws Exception {
						Method round = new Anew().loadClass("ManyLambdas").getDeclaredMethod("round", long.class);
						round.setAccessible(true);
						return round.invoke(null, number);
					}
				});
			}

			rounds.incrementAndGet();
			try {
				Thread.sleep(1);
			} catch (InterruptedException ignored) {
				return;
			}
		}
	}

	public static void main(String[] args) throws Exception {
		for (int i = 0; i < 2; i++) {
			Thread thread = new Thread("worker-" + i) {
				@Override
				public void run() {
					work();
				}
			};
			thread.setDaemon(true);
			thread.start();
		}

		while (rounds.get() < 60) {
			Thread.sleep(1);
		}

		System.out.println("ready");
		java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
		for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
			long from = rounds.get();
			// Copies of before are unloaded.
			System.gc();
			wanted.set(1);
			while (rounds.get() < from + 60 || wanted.get() > 0) {
				Thread.sleep(1);
			}

			System.out.println("rounds " + rounds.get() + " errors " + errors.get() + (first == null ? "" : " " + first));
			System.out.println("done " + line);
		}
	}
}
