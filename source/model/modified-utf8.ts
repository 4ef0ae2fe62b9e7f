/** The bytes of a UTF-16 unit beyond ASCII, or a byte that begins none. */
const sequence = /[\u00C0-\u00DF][\u0080-\u00BF]|[\u00E0-\u00EF][\u0080-\u00BF]{2}|[\u0080-\u00FF]/g;

const replacement = '\uFFFD';

/**
Decodes "modified UTF-8" (JVMS 4.4.7), the encoding of names in class files and HotSpot. A character beyond U+FFFF is two
surrogates of three bytes each; invalid bytes become U+FFFD. The result must go through `printable`.
*/
export function decodeModifiedUtf8(bytes: Uint8Array, start = 0, end = bytes.length): string {
	const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
	return latin1.replaceAll(sequence, unit => decodeUnit(unit));
}

function decodeUnit(unit: string): string {
	if (unit.length === 1) {
		return replacement;
	}

	const [first, second, third] = Buffer.from(unit, 'latin1');
	return String.fromCodePoint(third === undefined ? ((first & 0x1F) << 6) | (second & 0x3F) : ((first & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F));
}
