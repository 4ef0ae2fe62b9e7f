package tprof.agent;

import java.nio.charset.StandardCharsets;
import java.util.*;

/** Bytes of a report: numbers with seven bits per byte, the lowest first (LEB128); texts with their length. */
final class Bytes {
	private static final int MOST_TEXT = 400;

	byte[] array = new byte[64 * 1024];
	int length;

	void clear() {
		length = 0;
	}

	void numbers(long... values) {
		for (long value : values) {
			number(value);
		}
	}

	/** Writes 0 for negative numbers, which result only from clocks that step back. */
	void number(long value) {
		makeRoom(10);
		long rest = Math.max(0, value);
		while (rest > 127) {
			array[length++] = (byte) (rest & 127 | 128);
			rest >>>= 7;
		}

		array[length++] = (byte) rest;
	}

	void texts(Map<String, String> pairs) {
		number(pairs.size());
		for (Map.Entry<String, String> each : pairs.entrySet()) {
			text(each.getKey());
			text(each.getValue());
		}
	}

	void texts(Collection<String> values) {
		number(values.size());
		for (String each : values) {
			text(each);
		}
	}

	void text(String value) {
		byte[] bytes = (value.length() > MOST_TEXT ? value.substring(0, MOST_TEXT) : value).getBytes(StandardCharsets.UTF_8);
		number(bytes.length);
		makeRoom(bytes.length);
		System.arraycopy(bytes, 0, array, length, bytes.length);
		length += bytes.length;
	}

	private void makeRoom(int count) {
		while (length + count > array.length) {
			array = Arrays.copyOf(array, array.length * 2);
		}
	}
}
