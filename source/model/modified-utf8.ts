const replacement = 0xFF_FD;

/** UTF-16 units decoded in one call: each is an argument, and the stack bounds their number. */
const chunkLength = 1024;

/**
Decodes "modified UTF-8" (JVMS 4.4.7), the encoding of names in class files and HotSpot. A character beyond U+FFFF is two
surrogates of three bytes each; invalid bytes become U+FFFD. The result must go through `printable`.
*/
export function decodeModifiedUtf8(bytes: Uint8Array, start = 0, end = bytes.length): string {
	if (isAscii(bytes, start, end)) {
		return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
	}

	let text = '';
	let units: number[] = [];
	for (let at = start; at < end;) {
		const length = sequenceLength(bytes, at, end);
		units.push(length === 0 ? replacement : unitOf(bytes, at, length));
		at += Math.max(1, length);
		if (units.length === chunkLength) {
			text += String.fromCodePoint(...units);
			units = [];
		}
	}

	return text + String.fromCodePoint(...units);
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
	for (let at = start; at < end; at++) {
		if (bytes[at] > 0x7F) {
			return false;
		}
	}

	return true;
}

/** Returns the length in bytes of the UTF-16 unit encoded at `at`, 1 to 3; 0 if the bytes are invalid. */
function sequenceLength(bytes: Uint8Array, at: number, end: number): number {
	const first = bytes[at];
	if (first < 0x80) {
		return 1;
	}

	const length = first >= 0xC0 && first < 0xE0 ? 2 : (first >= 0xE0 && first < 0xF0 ? 3 : 0);
	if (at + length > end) {
		return 0;
	}

	for (let index = 1; index < length; index++) {
		if ((bytes[at + index] & 0xC0) !== 0x80) {
			return 0;
		}
	}

	return length;
}

function unitOf(bytes: Uint8Array, at: number, length: number): number {
	if (length === 1) {
		return bytes[at];
	}

	const second = bytes[at + 1] & 0x3F;
	return length === 2 ? ((bytes[at] & 0x1F) << 6) | second : ((bytes[at] & 0x0F) << 12) | (second << 6) | (bytes[at + 2] & 0x3F);
}
