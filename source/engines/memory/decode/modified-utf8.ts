/**
Decodes the class file's own UTF-8 (JVMS 4.4.7): U+0000 as two bytes, characters beyond the basic plane as two surrogates of three bytes each. Bytes that are none become U+FFFD. Never throws.
*/
export function decodeModifiedUtf8(bytes: Uint8Array): string {
	if (bytes.every(byte => byte < 0x80)) {
		return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
	}

	const units: number[] = [];
	for (let at = 0; at < bytes.length;) {
		const byte = bytes[at];
		const length = lengthOf(byte);
		let unit = length === 1 ? byte : byte & (length === 2 ? 0x1F : 0x0F);
		for (let index = 1; index < length; index++) {
			const next = bytes[at + index] ?? 0;
			unit = (next & 0xC0) === 0x80 && unit >= 0 ? (unit * 64) + (next & 0x3F) : -1;
		}

		if (length === 0 || unit < 0) {
			units.push(0xFF_FD);
			at++;
		} else {
			units.push(unit);
			at += length;
		}
	}

	// In parts: a call takes only so many arguments.
	let text = '';
	for (let at = 0; at < units.length; at += 4096) {
		text += String.fromCharCode(...units.slice(at, at + 4096)); // eslint-disable-line unicorn/prefer-code-point
	}

	return text;
}

/** Bytes of the character that a byte begins; 0 where none can begin. */
function lengthOf(byte: number): number {
	if (byte < 0x80) {
		return 1;
	}

	if ((byte & 0xE0) === 0xC0) {
		return 2;
	}

	return (byte & 0xF0) === 0xE0 ? 3 : 0;
}
