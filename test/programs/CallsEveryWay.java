import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
Threads "calling-N" that run all the time through every way in which one Java method can come to be called by another: method handles, lambdas and references, reflection, proxies, default and bridge methods, class
initializers, class loaders, privileged actions, finalizers, streams, exceptions, string concatenation, callbacks of the JDK. Argument: number of threads (default 2). Prints "ready" when warm.
*/
public class CallsEveryWay {
	static volatile long sink;
	static volatile int rounds;

	interface Named<T> {
		default int name(T value) {
			return own(value) + work(3);
		}

		int own(T value);
	}

	static class Strings implements Named<String> {
		@Override
		public int own(String value) {
			return value.length() + work(2);
		}
	}

	static class Numbers implements Named<Integer> {
		@Override
		public int own(Integer value) {
			return value + work(1);
		}

		@Override
		public int name(Integer value) {
			return Named.super.name(value);
		}
	}

	static class Finalized {
		@Override
		protected void finalize() {
			sink += work(5);
		}
	}

	public static class Initialized {
		static final int value = work(20);
	}

	enum Kind {
		ONE {
			@Override
			int value() {
				return work(4);
			}
		},
		TWO {
			@Override
			int value() {
				return work(5);
			}
		};

		abstract int value();
	}

	static int work(int n) {
		int sum = n;
		for (int i = 0; i < n * 50; i++) {
			sum = sum * 31 + i;
		}

		return sum;
	}

	public static void main(String[] args) throws Exception {
		int threads = args.length > 0 ? Integer.parseInt(args[0]) : 2;
		for (int i = 0; i < threads; i++) {
			new Thread(() -> {
				for (int round = 0;; round++) {
					try {
						step(round);
					} catch (Throwable thrown) {
						thrown.printStackTrace();
					}

					rounds++;
				}
			}, "calling-" + i).start();
		}

		while (rounds < 2000) {
			Thread.sleep(20);
		}

		System.out.println("ready");
	}

	static void step(int round) throws Throwable {
		switch (round % 12) {
			case 0:
				handles(round);
				break;
			case 1:
				reflection(round);
				break;
			case 2:
				sink += proxy(round).apply(round);
				break;
			case 3:
				sink += new Strings().name("text") + new Numbers().name(round);
				break;
			case 4:
				if (round % 120 == 4) {
					initializers();
				}

				break;
			case 5:
				sink += AccessController.doPrivileged((PrivilegedAction<Integer>) () -> work(10));
				break;
			case 6:
				new Finalized();
				if (round % 1200 == 6) {
					System.gc();
				}

				break;
			case 7:
				streams(round);
				break;
			case 8:
				exceptions(round);
				break;
			case 9:
				sink += ("a" + round + 'b' + work(2) + 1.5 + new Strings()).hashCode();
				break;
			case 10:
				callbacks(round);
				break;
			default:
				for (Kind kind : Kind.values()) {
					sink += kind.value();
				}

				break;
		}
	}

	static final MethodHandle worker;
	static final MethodHandle bound;

	static {
		try {
			worker = MethodHandles.lookup().findStatic(CallsEveryWay.class, "work", MethodType.methodType(int.class, int.class));
			bound = MethodHandles.filterReturnValue(MethodHandles.insertArguments(worker, 0, 7), worker.asType(MethodType.methodType(int.class, int.class)));
		} catch (ReflectiveOperationException error) {
			throw new AssertionError(error);
		}
	}

	static void handles(int round) throws Throwable {
		MethodHandle changing = MethodHandles.dropArguments(worker, 0, String.class);
		for (int i = 0; i < 20; i++) {
			sink += (int) worker.invokeExact(i % 8);
			sink += (int) changing.invoke("unused", (Integer) 3);
			sink += (int) worker.invokeWithArguments(i % 4);
		}
	}

	static void reflection(int round) throws Exception {
		Method method = CallsEveryWay.class.getDeclaredMethod("work", int.class);
		for (int i = 0; i < 20; i++) {
			sink += (Integer) method.invoke(null, i % 5);
			sink += Strings.class.getDeclaredConstructor().newInstance().own("x");
		}
	}

	@SuppressWarnings("unchecked")
	static Function<Integer, Integer> proxy(int round) {
		InvocationHandler handler = (self, method, arguments) -> method.getName().equals("apply") ? work((Integer) arguments[0] % 9) : null;
		return (Function<Integer, Integer>) Proxy.newProxyInstance(CallsEveryWay.class.getClassLoader(), new Class<?>[] {Function.class}, handler);
	}

	static void initializers() throws Exception {
		URL[] urls = {CallsEveryWay.class.getProtectionDomain().getCodeSource().getLocation()};
		try (URLClassLoader loader = new URLClassLoader(urls, null)) {
			sink += loader.loadClass("CallsEveryWay$Initialized").getDeclaredField("value").getModifiers();
			Class.forName("CallsEveryWay$Initialized", true, loader);
		}
	}

	static void streams(int round) {
		sink += IntStream.range(0, 50).boxed().map(CallsEveryWay::work).filter(value -> value % 3 != 0).collect(Collectors.toList()).size();
		sink += Arrays.asList("b", "a", "c").stream().sorted((a, b) -> work(1) + b.compareTo(a)).map(String::length).reduce(0, Integer::sum);
	}

	static void exceptions(int round) {
		for (int i = 0; i < 10; i++) {
			try {
				Object[] none = new Object[1];
				sink += i % 2 == 0 ? none[i + 1].hashCode() : none[0].hashCode();
			} catch (RuntimeException expected) {
				sink += work(1);
			} finally {
				sink++;
			}
		}
	}

	static void callbacks(int round) throws Exception {
		ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
		TreeMap<String, Integer> tree = new TreeMap<>(Collections.reverseOrder());
		List<Callable<Integer>> tasks = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			int number = i;
			map.computeIfAbsent(i, key -> work(key % 3));
			tree.merge("key" + i, 1, (a, b) -> a + b);
			tasks.add(() -> work(number % 3));
		}

		for (Callable<Integer> task : tasks) {
			sink += task.call();
		}

		map.forEach((key, value) -> sink += value);
		sink += tree.values().stream().mapToInt(Integer::intValue).sum() + new int[] {1, 2}.clone().length + Object[].class.cast(new String[3]).length;
	}
}
