import {
	Function as ProfileFunction, Location, Mapping, Profile, Sample,
} from 'pprof-format';
import {checkProfileBytes, piece, type Entries} from './wire-check.js';

/** A UTF-16 unit takes three bytes of UTF-8 at most. */
const bytesPerUnit = 3;

/**
A profile that was checked, decoded piece by piece as the pieces are asked for: as objects all at once it takes many
times its bytes. The constructor throws RangeError with what is wrong with the bytes.
*/
export class PiecewiseProfile {
	/** Sample types, comments, times: everything but the pieces below. */
	readonly head: Profile;
	readonly #bytes: Uint8Array;
	readonly #pieces: ReadonlyMap<number, Entries>;
	readonly #decoder = new TextDecoder();

	constructor(bytes: Uint8Array) {
		const {head, pieces} = checkProfileBytes(bytes);
		this.#bytes = bytes;
		this.#pieces = pieces;
		// Parts of a message that stand one after the other are one message.
		this.head = Profile.decode(Buffer.concat(Array.from(head, (start, index) => index % 2 === 0 ? bytes.subarray(start, head[index + 1]) : new Uint8Array())));
	}

	/** The samples in the order of the file: decoded anew at each turn, as are the others. */
	get sample(): Iterable<Sample> {
		return this.#decoded(piece.sample, bytes => Sample.decode(bytes));
	}

	/** The first is the program. */
	get mapping(): Iterable<Mapping> {
		return this.#decoded(piece.mapping, bytes => Mapping.decode(bytes));
	}

	get location(): Iterable<Location> {
		return this.#decoded(piece.location, bytes => Location.decode(bytes));
	}

	get function(): Iterable<ProfileFunction> {
		return this.#decoded(piece.function, bytes => ProfileFunction.decode(bytes));
	}

	get sizes(): {readonly samples: number; readonly locations: number; readonly functions: number} {
		return {samples: this.#count(piece.sample), locations: this.#count(piece.location), functions: this.#count(piece.function)};
	}

	/**
	A string by its index, undefined if there is none. One of more than `maxLength` UTF-16 units may be cut somewhere
	behind them.
	*/
	string(index: number, maxLength: number): string | undefined {
		if (index >= this.#count(piece.string)) {
			return undefined;
		}

		const [start, end] = this.#pieces.get(piece.string)!.slice(index * 2, (index * 2) + 2);
		return this.#decoder.decode(this.#bytes.subarray(start, Math.min(end, start + ((maxLength + 1) * bytesPerUnit))));
	}

	#count(field: number): number {
		return this.#pieces.get(field)!.length / 2;
	}

	* #decoded<Piece>(field: number, decode: (bytes: Uint8Array) => Piece): Generator<Piece> {
		const entries = this.#pieces.get(field)!;
		for (let at = 0; at < entries.length; at += 2) {
			yield decode(this.#bytes.subarray(entries[at], entries[at + 1]));
		}
	}
}
