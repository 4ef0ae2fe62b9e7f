import type {Interner} from '../../../model/frame.js';
import {decodeModifiedUtf8} from '../../../model/modified-utf8.js';
import {maxNameLength, printable} from '../../../model/text.js';
import {LineCache} from './line-cache.js';

/** Distinct names remembered, of threads or of lock classes. */
const maxNames = 1 << 13;

/**
Bytes of a name that are read: a character takes at most three, and reading one more character than is kept shows that
the name is longer.
*/
const maxNameBytes = 3 * (maxNameLength + 1);

/** String ids of names given as bytes; a name seen before allocates nothing. */
export class NameIds {
	readonly #interner: Interner;
	readonly #change: ((text: string) => string) | undefined;
	readonly #cache = new LineCache(maxNames);

	/** `change` is applied to a class's name before it is made printable; without it the names are those of threads. */
	constructor(interner: Interner, change?: (text: string) => string) {
		this.#interner = interner;
		this.#change = change;
	}

	idOf(bytes: Buffer, start: number, end: number): number {
		const known = this.#cache.find(bytes, start, end);
		if (known >= 0) {
			return this.#cache.value[known];
		}

		const text = decodeModifiedUtf8(bytes, start, Math.min(end, start + maxNameBytes));
		const id = this.#interner.internString(printable(this.#change?.(text) ?? text), this.#change === undefined);
		this.#cache.add(bytes, start, end, id);
		return id;
	}
}
