import {getOrCreate} from '../../util/get-or-create.js';
import {maxNameLength, printable, safe, type Printable} from '../../util/printable.js';
import {maxLocations, maxNameCharacters, maxSampleItems, maxSamples, maxStrings, tooMany} from '../common/limits.js';

/* Reads untrusted profiles of any tool (https://github.com/google/pprof/blob/main/proto/profile.proto). */

/** A frame of a location; `line` is 0 if unknown. */
type ProfileFrame = {readonly functionName: Printable; readonly file: Printable; readonly line: number};

/** A sample; labels by key (of several with the same key, the last), each with a text or a number. */
type ProfileSample = {
	readonly locationIds: number[];
	readonly values: number[];
	readonly labels: Map<string, {readonly text: Printable; readonly num: number}>;
};

/** A class name, a dot, a method name. */
const maxFunctionNameLength = (2 * maxNameLength) + 1;

/** Numbers of the fields of a Profile message. */
const fields = {
	sampleType: 1,
	sample: 2,
	mapping: 3,
	location: 4,
	function: 5,
	string: 6,
	timeNanos: 9,
	durationNanos: 10,
	period: 12,
} as const;

/** Repeated fields by number: the maximum count, and what error messages call them. */
const repeated: Readonly<Record<number, readonly [limit: number, plural: string] | undefined>> = {
	[fields.sampleType]: [1000, 'sample types'],
	[fields.sample]: [maxSamples, 'samples'],
	[fields.mapping]: [maxLocations, 'mappings'],
	[fields.location]: [maxLocations, 'locations'],
	[fields.function]: [maxLocations, 'functions'],
	[fields.string]: [maxStrings, 'names'],
};

/** A number of 64 bits, seven in a byte. */
const maxNumberBytes = 10;

/** A UTF-16 unit takes at most three bytes of UTF-8. */
const bytesPerUnit = 3;

/** Called for each field of a message: a number with its value (`start` is -1), others with the range of the bytes. */
type OnField = (field: number, value: number, start: number, end: number) => void;

/** A pprof profile. All methods throw RangeError if it is malformed. */
export class Profile {
	/** Types of a sample's values, in order, such as "cpu/nanoseconds". */
	readonly types: readonly string[];
	readonly timeNs: number;
	readonly durationNs: number;
	/** Length of a sampling period, in nanoseconds if it is a time. */
	readonly period: number;
	/** Path of the program; empty if unknown. */
	readonly program: Printable;
	readonly #bytes: Uint8Array;
	/** By repeated field: start and end of its first message, of its second, and so on. */
	readonly #spans = new Map<number, number[]>();
	readonly #decoder = new TextDecoder();
	readonly #texts = new Map<number, Printable>();
	/** By location id: its frames, innermost (inlined) first. */
	readonly #frames = new Map<number, readonly ProfileFrame[]>();
	/** Where the next byte is read. */
	#at = 0;
	/** What counts against `maxSampleItems` and `maxNameCharacters`. */
	#items = 0;
	#characters = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
		const numbers = this.#message(0, bytes.length, (field, _, start, end) => {
			const [limit, plural] = repeated[field] ?? [];
			if (limit === undefined || start < 0) {
				return;
			}

			if (getOrCreate(this.#spans, field, () => []).push(start, end) > 2 * limit) {
				throw tooMany(limit, plural!);
			}
		});
		// The format requires string 0 to be empty.
		if (!this.#spans.has(fields.sampleType) || this.#string(0, 1) !== '') {
			throw new RangeError('its header is missing');
		}

		this.timeNs = numbers[fields.timeNanos] ?? 0;
		this.durationNs = numbers[fields.durationNanos] ?? 0;
		this.period = numbers[fields.period] ?? 0;
		this.types = Array.from(
			this.#numbersOf(fields.sampleType),
			([, type = 0, unit = 0]) => `${this.#text(type)}/${this.#text(unit)}`,
		);
		// The first mapping is the program: its field 5 is the path.
		const [mapping] = this.#numbersOf(fields.mapping);
		this.program = this.#text(mapping?.[5] ?? 0);
		this.#readLocations();
	}

	* samples(): Generator<ProfileSample> {
		for (const [start, end] of this.#spansOf(fields.sample)) {
			const sample: ProfileSample = {locationIds: [], values: [], labels: new Map()};
			// Fields of a Sample: 1 location_id, 2 value, 3 label; of a Label: 1 key, 2 str, 3 num.
			this.#message(start, end, (field, value, from, to) => {
				this.#countItem();
				if (field === 1 || field === 2) {
					this.#readNumbers(field === 1 ? sample.locationIds : sample.values, value, from, to);
				} else if (field === 3 && from >= 0) {
					const [, key = 0, text = 0, num = 0] = this.#message(from, to);
					sample.labels.set(this.#text(key), {text: this.#text(text), num});
				}
			});
			yield sample;
		}
	}

	/** Returns the frames of a location, innermost (inlined) first. */
	frames(locationId: number): readonly ProfileFrame[] {
		const frames = this.#frames.get(locationId);
		if (!frames) {
			throw new RangeError('a reference to a missing location');
		}

		return frames;
	}

	#readLocations(): void {
		const functions = new Map<number, Omit<ProfileFrame, 'line'>>();
		// Fields of a Function: 1 id, 2 name, 4 filename.
		for (const [, id = 0, name = 0, , file = 0] of this.#numbersOf(fields.function)) {
			const functionName = this
				.#countCharacters(printable(this.#string(name, maxFunctionNameLength), maxFunctionNameLength));
			functions.set(id, {functionName, file: this.#text(file)});
		}

		let lineCount = 0;
		for (const [start, end] of this.#spansOf(fields.location)) {
			const lines: Array<readonly number[]> = [];
			// Fields of a Location: 1 id, 3 address, 4 line; of a Line: 1 function_id, 2 line.
			const [, id = 0, , address = 0] = this.#message(start, end, (field, _, from, to) => {
				if (field === 4 && from >= 0) {
					lines.push(this.#message(from, to));
				}
			});
			lineCount += lines.length;
			if (lineCount > maxLocations) {
				throw tooMany(maxLocations, 'lines');
			}

			const frames = lines.map(([, functionId = 0, line = 0]): ProfileFrame => {
				const found = functions.get(functionId);
				if (!found) {
					throw new RangeError('a reference to a missing function');
				}

				this.#countCharacters(found.functionName);
				// Class files have 16 bits for a line (JVMS 4.7.12), other languages up to 31.
				return {...found, line: line > 0 && line <= 2_147_483_647 ? line : 0};
			});
			this.#frames.set(
				id,
				frames.length > 0
					? frames
					: [{functionName: printable(`0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`), file: safe``, line: 0}],
			);
		}
	}

	/** Returns a string by its index, printable and at most as long as a name. */
	#text(index: number): Printable {
		return getOrCreate(
			this.#texts,
			index,
			() => this.#countCharacters(printable(this.#string(index, maxNameLength))),
		);
	}

	/** Returns a string by its index; may truncate it after `maxLength` UTF-16 units. */
	#string(index: number, maxLength: number): string {
		const [start, end] = this.#spans.get(fields.string)?.slice(index * 2, (index * 2) + 2) ?? [];
		if (index < 0 || start === undefined) {
			throw new RangeError('a reference to a missing string');
		}

		return this.#decoder
			.decode(this.#bytes.subarray(start, Math.min(end, start + ((maxLength + 1) * bytesPerUnit))));
	}

	/** Counts a name's characters against the limit and returns it. */
	#countCharacters(name: Printable): Printable {
		this.#characters += name.length;
		if (this.#characters > maxNameCharacters) {
			throw tooMany(maxNameCharacters, 'characters in names');
		}

		return name;
	}

	#countItem(): void {
		if (++this.#items > maxSampleItems) {
			throw tooMany(maxSampleItems, 'frames, values and labels of samples');
		}
	}

	* #spansOf(field: number): Generator<readonly [start: number, end: number]> {
		const spans = this.#spans.get(field) ?? [];
		for (let at = 0; at < spans.length; at += 2) {
			yield [spans[at], spans[at + 1]];
		}
	}

	/** Adds a field's number, or all numbers of a packed field. */
	#readNumbers(into: number[], value: number, start: number, end: number): void {
		if (start < 0) {
			into.push(value);
			return;
		}

		for (this.#at = start; this.#at < end;) {
			into.push(this.#number(end));
			this.#countItem();
		}
	}

	/** Returns, for each message of a repeated field, its numbers by field. */
	* #numbersOf(field: number): Generator<readonly number[]> {
		for (const [start, end] of this.#spansOf(field)) {
			yield this.#message(start, end);
		}
	}

	/** Returns a message's numbers by field, the last of each (https://protobuf.dev/programming-guides/encoding/). */
	#message(start: number, end: number, onField?: OnField): readonly number[] {
		const numbers: number[] = [];
		for (let at = start; at < end; at = this.#at) {
			const tag = this.#bytes[at];
			const [field, wireType] = [tag >> 3, tag & 7];
			// Wire types: 0 varint, 2 bytes with their length. All fields have one-byte tags.
			if (tag > 127 || field === 0 || (wireType !== 0 && wireType !== 2)) {
				throw new RangeError('an unknown field');
			}

			this.#at = at + 1;
			const value = this.#number(end);
			if (wireType === 0) {
				numbers[field] = value;
				onField?.(field, value, -1, -1);
				continue;
			}

			const [from, to] = [this.#at, this.#at + value];
			if (!(value >= 0 && to <= end)) {
				throw new RangeError('truncated');
			}

			onField?.(field, 0, from, to);
			this.#at = to;
		}

		return numbers;
	}

	/** Reads a signed 64-bit number as a double. */
	#number(end: number): number {
		const [start, limit] = [this.#at, Math.min(end, this.#at + maxNumberBytes)];
		// `low` has the 28 bits of the first four bytes, `high` the other 36.
		let [low, high] = [0, 0];
		while (this.#at < limit) {
			const [byte, place] = [this.#bytes[this.#at], this.#at++ - start];
			if (place < 4) {
				low += (byte & 127) * (128 ** place);
			} else {
				high += (byte & 127) * (128 ** (place - 4));
			}

			if (byte < 128) {
				const bits = high % (2 ** 36);
				return ((bits < 2 ** 35 ? bits : bits - (2 ** 36)) * (2 ** 28)) + low;
			}
		}

		throw new RangeError(limit === end ? 'truncated' : 'a number that is too long');
	}
}
