import {decodeModifiedUtf8} from '../../../model/modified-utf8.js';
import {maxNameLength} from '../../../model/text.js';
import {LineCache} from './line-cache.js';

/** Distinct texts remembered, names of threads or of lock classes. */
const maxTexts = 1 << 13;

/**
Bytes of a text that are read: a character takes at most three, and reading one more character than is kept shows that
the text is longer.
*/
const maxBytes = 3 * (maxNameLength + 1);

/** What texts given as bytes stand for; one seen before allocates nothing. */
export class KnownTexts<Value> {
	readonly #valueOf: (text: string) => Value;
	readonly #cache = new LineCache(maxTexts);
	/** By the cache's entries. */
	readonly #values: Value[] = [];

	constructor(valueOf: (text: string) => Value) {
		this.#valueOf = valueOf;
	}

	find(bytes: Buffer, start: number, end: number): Value {
		const known = this.#cache.find(bytes, start, end);
		if (known >= 0) {
			return this.#values[known];
		}

		const value = this.#valueOf(decodeModifiedUtf8(bytes, start, Math.min(end, start + maxBytes)));
		const entry = this.#cache.add(bytes, start, end, 0);
		if (entry >= 0) {
			this.#values[entry] = value;
		}

		return value;
	}
}
