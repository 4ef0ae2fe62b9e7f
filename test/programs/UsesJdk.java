import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.StringReader;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLClassLoader;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.text.DecimalFormat;
import java.text.SimpleDateFormat;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
Uses much of java.base (with an argument also of javax, management and XML) from threads that live and threads that come and go, virtual ones too where there are any, and checks what it gets. Reads lines: any has it go through everything twice more,
and prints "rounds N errors N" and the first error; "end" ends it.
*/
public class UsesJdk {
	static final AtomicLong rounds = new AtomicLong();
	static final AtomicLong errors = new AtomicLong();
	static volatile Throwable first;
	static boolean isMore;
	static final ReentrantLock lock = new ReentrantLock();
	static final ReentrantReadWriteLock readWrite = new ReentrantReadWriteLock();
	static final ConcurrentHashMap<String, Long> shared = new ConcurrentHashMap<String, Long>();
	static final ThreadLocal<StringBuilder> local = new ThreadLocal<StringBuilder>() {
		@Override
		protected StringBuilder initialValue() {
			return new StringBuilder();
		}
	};

	enum Kind {
		SMALL, LARGE
	}

	static void expect(Object is, Object wanted) {
		if (!wanted.equals(is)) {
			throw new IllegalStateException(is + " instead of " + wanted);
		}
	}

	static void text(int n) throws Exception {
		String joined = "a" + n + "-" + (n * 2L) + '!' + (n % 2 == 0) + 1.5;
		expect(joined, "a".concat(Integer.toString(n)).concat("-").concat(Long.toString(n * 2L)).concat("!").concat(Boolean.toString(n % 2 == 0)).concat("1.5"));
		expect(new StringBuilder("abc").append(n).reverse().reverse().insert(0, 'x').substring(1), "abc" + n);
		expect(String.format("%05d %s %.2f", n % 1000, "x", 1.25).length(), 12);
		expect("a,b,c".split(",").length, 3);
		expect(Pattern.compile("(\\w+)@(\\w+)\\.com").matcher("me@there.com").replaceAll("$2"), "there");
		expect("\u00e4\u20ac".getBytes(StandardCharsets.UTF_8).length, 5);
		expect(new String("\u00e4\u20ac".getBytes("UTF-16"), "UTF-16"), "\u00e4\u20ac");
		expect(new Scanner(new StringReader("12 13")).nextInt(), 12);
		expect(new DecimalFormat("#,##0.00", java.text.DecimalFormatSymbols.getInstance(Locale.ROOT)).format(1234.5), "1,234.50");
		expect(new SimpleDateFormat("yyyy", Locale.ROOT).format(new Date(0)).length(), 4);
		expect(java.text.MessageFormat.format("{0} {1}", "a", "b"), "a b");
		expect(Integer.parseInt("77") + Long.parseLong("1") + (int) Double.parseDouble("2.0"), 80L);
		expect(Character.isLetter('x') && Character.toUpperCase('x') == 'X', true);
	}

	static void collections(int n) {
		List<Integer> list = new ArrayList<Integer>();
		Map<Integer, String> map = new HashMap<Integer, String>();
		TreeMap<String, Integer> sorted = new TreeMap<String, Integer>();
		for (int i = 0; i < 40; i++) {
			list.add(i ^ n & 31);
			map.put(i, "v" + i);
			sorted.put("k" + i, i);
		}

		Collections.shuffle(list, new Random(n));
		Collections.sort(list);
		expect(list.get(0) >= 0, true);
		expect(map.get(7), "v7");
		expect(sorted.firstKey(), "k0");
		int[] numbers = Arrays.copyOf(new int[] {3, 1, 2}, 3);
		Arrays.sort(numbers);
		expect(Arrays.toString(numbers), "[1, 2, 3]");
		expect(Arrays.asList("a", "b").contains("b"), true);
		expect(new ArrayDeque<Integer>(list).pollFirst(), list.get(0));
		expect(new LinkedHashMap<Integer, String>(map).size(), 40);
		expect(new PriorityQueue<Integer>(list).peek(), list.get(0));
		expect(EnumSet.allOf(Kind.class).size() + new EnumMap<Kind, Integer>(Kind.class).size(), 2);
		expect(new BitSet(9).cardinality(), 0);
		expect(new LinkedList<Integer>(list).getLast(), list.get(39));
		expect(Objects.hash(1, 2), Objects.hash(1, 2));
		expect(Objects.requireNonNull("x"), "x");
		expect(Optional.of(1).map(x -> x + 1).get(), 2);
		expect(IntStream.range(0, 100).filter(i -> i % 2 == 0).sum(), 2450);
		expect(list.stream().map(i -> "n" + i).collect(Collectors.joining(",")).startsWith("n"), true);
		expect(list.parallelStream().mapToInt(Integer::intValue).count(), 40L);
		expect(new IdentityHashMap<Object, Object>().isEmpty() && new WeakHashMap<Object, Object>(Collections.singletonMap((Object) list, (Object) 1)).containsKey(list), true);
		expect(new StringJoiner("+").add("a").add("b").toString(), "a+b");
		expect(UUID.nameUUIDFromBytes(new byte[] {1}).version(), 3);
		expect(Base64.getDecoder().decode(Base64.getEncoder().encodeToString(new byte[] {1, 2})).length, 2);
	}

	static void numbers(int n) throws Exception {
		expect(BigInteger.valueOf(n).pow(5).mod(BigInteger.valueOf(7)).intValue() < 7, true);
		expect(new BigDecimal("1.10").multiply(BigDecimal.TEN).toPlainString(), "11.00");
		expect(Math.abs(-5) + Math.max(1, 2), 7);
		expect(LocalDate.of(2020, 2, 28).plusDays(2).format(DateTimeFormatter.ISO_DATE), "2020-03-01");
		expect(Duration.ofSeconds(90).toMinutes(), 1L);
		expect(MessageDigest.getInstance("SHA-256").digest(new byte[n & 15]).length, 32);
		expect(new SecureRandom().nextInt(5) < 5, true);
		expect(ThreadLocalRandom.current().nextInt(5) < 5, true);
		CRC32 crc = new CRC32();
		crc.update(new byte[] {1, 2, 3});
		expect(crc.getValue() != 0, true);
		expect(System.getProperty("java.version") != null && Runtime.getRuntime().availableProcessors() > 0, true);
	}

	static void security(int n) throws Exception {
		javax.crypto.KeyGenerator keys = javax.crypto.KeyGenerator.getInstance("AES");
		keys.init(128);
		javax.crypto.SecretKey key = keys.generateKey();
		javax.crypto.Cipher cipher = javax.crypto.Cipher.getInstance("AES/CBC/PKCS5Padding");
		cipher.init(javax.crypto.Cipher.ENCRYPT_MODE, key, new javax.crypto.spec.IvParameterSpec(new byte[16]));
		byte[] secret = cipher.doFinal(new byte[n & 31]);
		cipher.init(javax.crypto.Cipher.DECRYPT_MODE, key, new javax.crypto.spec.IvParameterSpec(new byte[16]));
		expect(cipher.doFinal(secret).length, n & 31);
		javax.crypto.Mac mac = javax.crypto.Mac.getInstance("HmacSHA256");
		mac.init(key);
		expect(mac.doFinal(secret).length, 32);
		expect(javax.crypto.SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
				.generateSecret(new javax.crypto.spec.PBEKeySpec("x".toCharArray(), new byte[8], 2, 128)).getEncoded().length, 16);
		javax.net.ssl.SSLEngine engine = javax.net.ssl.SSLContext.getDefault().createSSLEngine("host", 1);
		engine.setUseClientMode(true);
		expect(engine.wrap(ByteBuffer.allocate(0), ByteBuffer.allocate(engine.getSession().getPacketBufferSize())).bytesProduced() > 0, true);
		expect(javax.net.SocketFactory.getDefault().equals(javax.net.ssl.SSLSocketFactory.getDefault()), false);
		javax.security.auth.x500.X500Principal principal = new javax.security.auth.x500.X500Principal("CN=a, O=b");
		javax.security.auth.Subject subject = new javax.security.auth.Subject();
		subject.getPrincipals().add(principal);
		expect(subject.getPrincipals(javax.security.auth.x500.X500Principal.class).iterator().next().getName(), "CN=a,O=b");
	}

	static void management() throws Exception {
		javax.management.MBeanServer server = java.lang.management.ManagementFactory.getPlatformMBeanServer();
		javax.management.ObjectName name = new javax.management.ObjectName("java.lang:type=Memory");
		javax.management.openmbean.CompositeData heap = (javax.management.openmbean.CompositeData) server.getAttribute(name, "HeapMemoryUsage");
		expect((Long) heap.get("used") > 0, true);
		expect(server.queryNames(new javax.management.ObjectName("java.lang:type=M*"), null).contains(name), true);
		org.w3c.dom.Document document = javax.xml.parsers.DocumentBuilderFactory.newInstance().newDocumentBuilder()
				.parse(new ByteArrayInputStream("<a><b c='d'/></a>".getBytes("UTF-8")));
		expect(javax.xml.xpath.XPathFactory.newInstance().newXPath().evaluate("/a/b/@c", document), "d");
	}

	static void files(int n) throws Exception {
		File file = File.createTempFile("uses-jdk", ".txt");
		try {
			try (BufferedWriter out = new BufferedWriter(new FileWriter(file))) {
				out.write("line " + n);
			}

			try (BufferedReader in = new BufferedReader(new FileReader(file))) {
				expect(in.readLine(), "line " + n);
			}

			try (FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.READ)) {
				ByteBuffer buffer = ByteBuffer.allocateDirect(64);
				expect(channel.read(buffer) > 4, true);
			}

			expect(Files.readAllLines(file.toPath()).size(), 1);
		} finally {
			expect(file.delete(), true);
		}

		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(new GZIPOutputStream(bytes))) {
			out.writeObject(new ArrayList<String>(Arrays.asList("a", "b")));
		}

		try (ObjectInputStream in = new ObjectInputStream(new GZIPInputStream(new ByteArrayInputStream(bytes.toByteArray())))) {
			expect(((List<?>) in.readObject()).size(), 2);
		}

		expect(new URI("http://a/b?c").getQuery(), "c");
	}

	static void network() throws Exception {
		try (final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
			Thread answering = new Thread("answering") {
				@Override
				public void run() {
					try (Socket socket = server.accept()) {
						socket.getOutputStream().write(socket.getInputStream().read() + 1);
					} catch (Exception error) {
						failed(error);
					}
				}
			};
			answering.start();
			try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
				socket.getOutputStream().write(7);
				expect(socket.getInputStream().read(), 8);
			}

			answering.join();
		}
	}

	static void reflection(int n) throws Exception {
		Method method = UsesJdk.class.getDeclaredMethod("expect", Object.class, Object.class);
		method.invoke(null, n, n);
		expect(Class.forName("java.util.ArrayList").getDeclaredConstructor().newInstance(), new ArrayList<Object>());
		expect(Kind.valueOf("LARGE").ordinal(), 1);
		try {
			throw new IllegalArgumentException("expected " + n);
		} catch (IllegalArgumentException expected) {
			expect(expected.getStackTrace()[0].getMethodName(), "reflection");
		}

		URL here = UsesJdk.class.getProtectionDomain().getCodeSource().getLocation();
		try (URLClassLoader loader = new URLClassLoader(new URL[] {here}, null)) {
			expect(loader.loadClass("UsesJdk$Kind") != Kind.class, true);
		}

		try (InputStream in = UsesJdk.class.getResourceAsStream("UsesJdk.class")) {
			expect(in.read(), 0xCA);
		}

		ResourceBundle.clearCache();
		expect(new WeakReference<Object>(method).get() == method, true);
	}

	static void threads(int n) throws Exception {
		ExecutorService pool = Executors.newFixedThreadPool(2);
		try {
			Future<Integer> future = pool.submit(() -> n + 1);
			expect(future.get(), n + 1);
			expect(CompletableFuture.supplyAsync(() -> n, pool).thenApply(x -> x * 2).get(), n * 2);
		} finally {
			pool.shutdown();
			expect(pool.awaitTermination(100, TimeUnit.SECONDS), true);
		}

		expect(ForkJoinPool.commonPool().submit(() -> 5).get(), 5);
		lock.lock();
		try {
			shared.merge("key" + n % 16, 1L, Long::sum);
		} finally {
			lock.unlock();
		}

		readWrite.readLock().lock();
		readWrite.readLock().unlock();
		local.get().setLength(0);
		expect(local.get().append("x").toString(), "x");
		CountDownLatch latch = new CountDownLatch(1);
		Thread thread = new Thread(latch::countDown, "short-lived");
		thread.start();
		latch.await();
		thread.join();
		BlockingQueue<Integer> queue = new LinkedBlockingQueue<Integer>();
		queue.put(1);
		expect(queue.poll(1, TimeUnit.SECONDS), 1);
		Semaphore semaphore = new Semaphore(1);
		semaphore.acquire();
		semaphore.release();
		synchronized (latch) {
			latch.wait(1);
		}

		virtual(n);
	}

	static final Method startVirtual = findStartVirtual();

	static Method findStartVirtual() {
		try {
			return Thread.class.getMethod("startVirtualThread", Runnable.class);
		} catch (NoSuchMethodException olderThan21) {
			return null;
		}
	}

	static void virtual(int n) throws Exception {
		if (startVirtual != null) {
			CountDownLatch done = new CountDownLatch(20);
			for (int i = 0; i < 20; i++) {
				startVirtual.invoke(null, (Runnable) () -> {
					try {
						collections(n);
						Thread.sleep(1);
						lock.lock();
						lock.unlock();
						text(n);
					} catch (Throwable error) {
						failed(error);
					} finally {
						done.countDown();
					}
				});
			}

			done.await();
		}
	}

	/** A recursion that ends in a stack overflow, as parsers' may. */
	static int deep(int depth) {
		return depth == 0 ? 0 : deep(depth - 1) + Objects.hash(depth) % 2;
	}

	static void failed(Throwable error) {
		errors.incrementAndGet();
		first = first == null ? error : first;
	}

	static void round(int n) {
		try {
			text(n);
			collections(n);
			numbers(n);
			if (isMore) {
				security(n);
				management();
			}

			files(n);
			network();
			reflection(n);
			threads(n);
			deep(200);
		} catch (Throwable error) {
			failed(error);
		}

		rounds.incrementAndGet();
	}

	public static void main(String[] args) throws Exception {
		isMore = args.length > 0;
		Thread.setDefaultUncaughtExceptionHandler((thread, error) -> failed(error));
		for (int i = 0; i < 2; i++) {
			Thread worker = new Thread("worker-" + i) {
				@Override
				public void run() {
					for (int n = 0;; n++) {
						round(n);
						try {
							Thread.sleep(5);
						} catch (InterruptedException ignored) {
							return;
						}
					}
				}
			};
			worker.setDaemon(true);
			worker.start();
		}

		while (rounds.get() < 6) {
			Thread.sleep(1);
		}

		System.out.println("ready");
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
			long from = rounds.get();
			while (rounds.get() < from + 4) {
				Thread.sleep(1);
			}

			System.out.println("rounds " + rounds.get() + " errors " + errors.get() + (first == null ? "" : " " + first));
			if (first != null) {
				first.printStackTrace();
			}

			System.out.println("done " + line);
		}
	}
}
