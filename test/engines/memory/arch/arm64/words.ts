/** Returns code as bytes, given its instructions in hexadecimal, in the order of `objdump -d`. */
export function codeOf(text: string): Uint8Array {
	return new Uint8Array(Uint32Array.from(text.trim().split(/\s+/), word => Number.parseInt(word, 16)).buffer);
}

/** Reads code whose first byte is at address `start`, and zeros around it. */
export function readerOf(code: Uint8Array, start = 0): (address: number) => Uint8Array {
	return address => {
		const window = new Uint8Array(64);
		for (let index = 0; index < window.length; index++) {
			window[index] = code[address - start + index] ?? 0;
		}

		return window;
	};
}
