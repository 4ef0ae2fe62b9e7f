/** Numbers of seven bits a byte, the lowest first, and texts with their length. */
export class Bytes {
	readonly #encoder = new TextEncoder();
	#bytes = new Uint8Array(4096);
	#length = 0;

	numbers(...values: readonly number[]): void {
		this.#room(values.length * 10);
		for (const value of values) {
			let rest = Math.max(0, Math.round(value));
			for (; rest > 127; rest = Math.floor(rest / 128)) {
				this.#bytes[this.#length++] = (rest % 128) + 128;
			}

			this.#bytes[this.#length++] = rest;
		}
	}

	texts(...values: readonly string[]): void {
		for (const value of values) {
			const bytes = this.#encoder.encode(value);
			this.numbers(bytes.length);
			this.#room(bytes.length);
			this.#bytes.set(bytes, this.#length);
			this.#length += bytes.length;
		}
	}

	/** The numbers that are not 0, each with its index. */
	sparse(values: Float64Array): void {
		this.list([...values.entries()].filter(([, value]) => value > 0), ([index, value]) => {
			this.numbers(index, value);
		});
	}

	list<Item>(items: readonly Item[], write: (item: Item) => void): void {
		this.numbers(items.length);
		for (const item of items) {
			write(item);
		}
	}

	taken(): Uint8Array {
		return this.#bytes.subarray(0, this.#length);
	}

	#room(count: number): void {
		if (this.#length + count > this.#bytes.length) {
			const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
			larger.set(this.#bytes);
			this.#bytes = larger;
		}
	}
}
