import {type Memory} from './memory.js';

const pageBytes = 4096;

/** Pages kept; a page whose place is taken is read again. */
const places = 256;

/** Pages of the target's memory as they were when first read since `clear`: what is needed together often shares one. */
export class RecentPages {
	/** Number of pages read so far. */
	reads = 0;
	readonly #memory: Memory;
	readonly #bytes = new Uint8Array(places * pageBytes);
	/** Address of the page in each place, -1 for none, and how many of its bytes could be read. */
	readonly #starts = new Float64Array(places).fill(-1);
	readonly #lengths = new Uint16Array(places);

	constructor(memory: Memory) {
		this.#memory = memory;
	}

	/** Removes all pages. */
	clear(): void {
		this.#starts.fill(-1);
	}

	/** Copies bytes at an address to the start of `into`; false if they cannot be read or are in two pages. */
	take(address: number, into: Uint8Array, length: number): boolean {
		const inPage = address % pageBytes;
		const start = address - inPage;
		const place = (start / pageBytes) % places;
		const from = place * pageBytes;
		if (this.#starts[place] !== start) {
			this.reads++;
			this.#lengths[place] = this.#memory.read(start, this.#bytes, from, pageBytes);
			this.#starts[place] = start;
		}

		if (!(inPage + length <= this.#lengths[place])) {
			return false;
		}

		for (let byte = 0; byte < length; byte++) {
			into[byte] = this.#bytes[from + inPage + byte];
		}

		return true;
	}
}
