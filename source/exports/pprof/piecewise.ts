import {
	Function as ProfileFunction, Location, Mapping, Profile, Sample,
} from 'pprof-format';
import {maxDepth, maxInlined, maxLocations, maxSampleItems, maxSamples, tooMany} from './limits.js';

/*
The decoder of pprof-format trusts its input and makes objects of all of it: a false length is read as garbage, a number
of a million bytes takes minutes, a megabyte becomes a gigabyte. So bytes are checked against the format, and counted,
before any of them reach it. Format: https://protobuf.dev/programming-guides/encoding/ and
https://github.com/google/pprof/blob/main/proto/profile.proto
*/

/**
A field of a message: what it is, and how often it may come in one message; `most` counts the numbers of a list.
`called` is the plural for a message that there are too many.
*/
type Field = {readonly kind: 'number' | 'numbers' | 'text' | Message; readonly most: number; readonly called: string};
type Message = Readonly<Record<number, Field>>;

/** Sample types, labels of a sample, comments: no tool writes more than some tens. */
const maxSmall = 1000;

const number: Field = {kind: 'number', most: 1, called: 'numbers'};
const numbersOnly = (count: number): Message => Object.fromEntries(Array.from({length: count}, (_, index) => [index + 1, number]));
const valueType: Field = {kind: numbersOnly(2), most: maxSmall, called: 'sample types'};
const sample: Message = {
	1: {kind: 'numbers', most: maxDepth, called: 'frames in a stack'},
	2: {kind: 'numbers', most: maxSmall, called: 'values of a sample'},
	3: {kind: numbersOnly(4), most: maxSmall, called: 'labels of a sample'},
};
const location: Message = {1: number, 2: number, 3: number, 4: {kind: numbersOnly(3), most: maxInlined, called: 'inlined calls at a location'}, 5: number};

/** Fields of a profile of which there may be very many: its pieces. */
const piece = Object.freeze({sample: 2, mapping: 3, location: 4, function: 5, string: 6});
const pieces: ReadonlySet<number> = new Set(Object.values(piece));

const profile: Message = {
	1: valueType,
	[piece.sample]: {kind: sample, most: maxSamples, called: 'samples'},
	[piece.mapping]: {kind: numbersOnly(10), most: maxLocations, called: 'mappings'},
	[piece.location]: {kind: location, most: maxLocations, called: 'locations'},
	[piece.function]: {kind: numbersOnly(5), most: maxLocations, called: 'functions'},
	[piece.string]: {kind: 'text', most: 4 * maxLocations, called: 'names'},
	7: number,
	8: number,
	9: number,
	10: number,
	11: valueType,
	12: number,
	13: {kind: 'numbers', most: maxSmall, called: 'comments'},
	14: number,
	15: number,
};

/** A 64-bit number takes 10 bytes at most. */
const maxNumberBytes = 10;

/** Where entries lie in a profile's bytes: pairs of start and end (exclusive), in the order of the file. */
type Entries = readonly number[];

/** What a profile consists of: of each piece the content, by its field, and everything else with its tag. */
type ProfileEntries = {readonly pieces: ReadonlyMap<number, Entries>; readonly head: Entries};

/**
Checks that the bytes are a whole profile within bounds, and gives where its entries lie. Throws RangeError with what is
wrong or too much.
*/
function checkProfileBytes(bytes: Uint8Array): ProfileEntries {
	return new Walk(bytes).profile();
}

class Walk {
	readonly #bytes: Uint8Array;
	/** By depth of the message: how often each of its fields came. */
	readonly #counts = Array.from({length: 3}, () => new Int32Array(16));
	#sampleItems = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	profile(): ProfileEntries {
		const entries = {head: [] as number[], pieces: new Map<number, number[]>(Array.from(pieces, field => [field, []]))};
		this.#message(0, this.#bytes.length, profile, 0, (id, tagAt, contentAt, end) => {
			const found = entries.pieces.get(id);
			(found ?? entries.head).push(found ? contentAt : tagAt, end);
		});
		return entries;
	}

	#message(start: number, end: number, message: Message, depth: number, keep?: (id: number, tagAt: number, contentAt: number, end: number) => void): void {
		const counts = this.#counts[depth].fill(0);
		let at = start;
		while (at < end) {
			const tagAt = at;
			const tag = this.#bytes[at++];
			if (tag > 127 || tag < 8) {
				throw new RangeError('an unknown field');
			}

			const id = tag >> 3;
			const field = message[id] as Field | undefined;
			const isNumber = field === undefined ? (tag & 7) === 0 : field.kind === 'number' || (field.kind === 'numbers' && (tag & 7) === 0);
			if ((tag & 7) !== (isNumber ? 0 : 2)) {
				throw new RangeError('a field of the wrong type');
			}

			const contentAt = this.#skipNumber(at, end);
			at = isNumber ? contentAt : contentAt + this.#numberAt(at, contentAt);
			if (at > end) {
				throw new RangeError('truncated');
			}

			if (field) {
				counts[id] += isNumber ? this.#number(field) : this.#content(contentAt, at, field, depth);
				if (counts[id] > field.most) {
					throw field === number ? new RangeError('a field that occurs twice') : tooMany(field.most, field.called);
				}

				keep?.(id, tagAt, contentAt, at);
			}
		}
	}

	/** Checks the content of a field with a length, and returns how many it counts for. */
	#content(start: number, end: number, field: Field, depth: number): number {
		if (field.kind === 'numbers') {
			let count = 0;
			for (let at = start; at < end;) {
				at = this.#skipNumber(at, end);
				count += this.#countOne();
			}

			return count;
		}

		if (typeof field.kind === 'object') {
			this.#message(start, end, field.kind, depth + 1);
		}

		return depth === 0 ? 1 : this.#countOne();
	}

	#number({kind}: Field): number {
		return kind === 'numbers' ? this.#countOne() : 1;
	}

	#countOne(): number {
		if (++this.#sampleItems > maxSampleItems) {
			throw tooMany(maxSampleItems, 'frames, values and labels of samples');
		}

		return 1;
	}

	#numberAt(start: number, end: number): number {
		let number = 0;
		for (let at = end - 1; at >= start; at--) {
			number = (number * 128) + (this.#bytes[at] & 127);
		}

		return number;
	}

	/** Where the number that starts at `start` has ended. */
	#skipNumber(start: number, end: number): number {
		const limit = Math.min(end, start + maxNumberBytes);
		for (let at = start; at < limit; at++) {
			if (this.#bytes[at] < 128) {
				return at + 1;
			}
		}

		throw new RangeError(limit === end ? 'truncated' : 'a number that is too long');
	}
}

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
