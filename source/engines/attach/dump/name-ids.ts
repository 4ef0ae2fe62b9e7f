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
	readonly #change: (text: string) => string;
	readonly #cache = new LineCache(maxNames);

	/** `change` is applied to a name's text before it is made printable. */
	constructor(interner: Interner, change: (text: string) => string = text => text) {
		this.#interner = interner;
		this.#change = change;
	}

	idOf(bytes: Buffer, start: number, end: number): number {
		const known = this.#cache.find(bytes, start, end);
		if (known >= 0) {
			return this.#cache.value[known];
		}

		const id = this.#interner.internString(printable(this.#change(decodeModifiedUtf8(bytes, start, Math.min(end, start + maxNameBytes)))));
		this.#cache.add(bytes, start, end, id);
		return id;
	}
}
