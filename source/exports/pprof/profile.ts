import {getOrCreate} from '../../model/get-or-create.js';
import {maxNameLength, printable} from '../../model/text.js';
import {maxLocations, maxNameCharacters, maxSampleItems, maxSamples, tooMany} from './limits.js';

/* Reads profiles of any tool (https://github.com/google/pprof/blob/main/proto/profile.proto). Nothing in them is trusted. */

/** A frame as a location says it: function name as one text, file as the profile has it, line 0 if not known. */
type ProfileFrame = {readonly functionName: string; readonly file: string; readonly line: number};

/** A sample; of several labels with one key the last. */
type ProfileSample = {readonly locationIds: number[]; readonly values: number[]; readonly labels: Map<string, {readonly text: string; readonly num: number}>};

/** A class name, a dot, a method name. */
const maxFunctionNameLength = (2 * maxNameLength) + 1;

/** Fields that may come more than once, how often, and what they are called. */
const repeated: Readonly<Record<number, readonly [most: number, called: string] | undefined>> = {
	1: [1000, 'sample types'], 2: [maxSamples, 'samples'], 3: [maxLocations, 'mappings'], 4: [maxLocations, 'locations'], 5: [maxLocations, 'functions'], 6: [4 * maxLocations, 'names'],
};

/** 64 bits, seven in a byte. */
const maxNumberBytes = 10;

/** A UTF-16 unit takes three bytes of UTF-8 at most. */
const bytesPerUnit = 3;

/** A field of a message: its number, or where its content lies (`start` -1: a number). */
type Take = (id: number, value: number, start: number, end: number) => void;

/** All methods throw RangeError with what is wrong. */
export class Profile {
	/** Such as "cpu/nanoseconds", in the order of a sample's values. */
	readonly types: readonly string[];
	readonly timeNs: number;
	readonly durationNs: number;
	readonly period: number;
	/** Path of the program; empty if not known. */
	readonly program: string;
	readonly #bytes: Uint8Array;
	/** Start and end of each message that may be repeated, by its field. */
	readonly #spans = new Map<number, number[]>();
	readonly #decoder = new TextDecoder();
	readonly #texts = new Map<number, string>();
	/** By location id, innermost (inlined) frame first. */
	readonly #frames = new Map<number, readonly ProfileFrame[]>();
	#at = 0;
	#items = 0;
	#characters = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
		const numbers = this.#message(0, bytes.length, (id, _, start, end) => {
			const [most, called] = repeated[id] ?? [];
			if (most === undefined || start < 0) {
				return;
			}

			if (getOrCreate(this.#spans, id, () => []).push(start, end) > 2 * most) {
				throw tooMany(most, called!);
			}
		});
		if (!this.#spans.has(1) || this.#string(0, 1) !== '') {
			throw new RangeError('its header is missing');
		}

		[this.timeNs, this.durationNs, this.period] = [9, 10, 12].map(id => numbers[id] ?? 0);
		this.types = Array.from(this.#numbersOf(1), ([, type = 0, unit = 0]) => `${this.#text(type)}/${this.#text(unit)}`);
		const [mapping] = this.#numbersOf(3);
		this.program = this.#text(mapping?.[5] ?? 0);
		this.#readLocations();
	}

	/** The samples in the order of the file. */
	* samples(): Generator<ProfileSample> {
		for (const [start, end] of this.#spansOf(2)) {
			const sample: ProfileSample = {locationIds: [], values: [], labels: new Map()};
			this.#message(start, end, (id, value, from, to) => {
				this.#count();
				if (id === 1 || id === 2) {
					this.#readNumbers(id === 1 ? sample.locationIds : sample.values, value, from, to);
				} else if (id === 3 && from >= 0) {
					const [, key = 0, text = 0, num = 0] = this.#message(from, to);
					sample.labels.set(this.#text(key), {text: this.#text(text), num});
				}
			});
			yield sample;
		}
	}

	frames(locationId: number): readonly ProfileFrame[] {
		const frames = this.#frames.get(locationId);
		if (!frames) {
			throw new RangeError('a reference to a missing location');
		}

		return frames;
	}

	#readLocations(): void {
		const functions = new Map<number, Omit<ProfileFrame, 'line'>>();
		for (const [, id = 0, name = 0, , file = 0] of this.#numbersOf(5)) {
			const functionName = this.#keep(printable(this.#string(name, maxFunctionNameLength), maxFunctionNameLength));
			functions.set(id, {functionName, file: this.#text(file)});
		}

		let lineCount = 0;
		for (const [start, end] of this.#spansOf(4)) {
			const lines: Array<readonly number[]> = [];
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

				this.#keep(found.functionName);
				// Class files have 16 bits for a line (JVM specification, 4.7.12), other languages up to 31.
				return {...found, line: line > 0 && line <= 2_147_483_647 ? line : 0};
			});
			this.#frames.set(id, frames.length > 0 ? frames : [{functionName: `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`, file: '', line: 0}]);
		}
	}

	/** A string by its index, printable, cut to the length of a name. */
	#text(index: number): string {
		return getOrCreate(this.#texts, index, () => this.#keep(printable(this.#string(index, maxNameLength))));
	}

	/** One of more than `maxLength` UTF-16 units may be cut somewhere behind them. */
	#string(index: number, maxLength: number): string {
		const [start, end] = this.#spans.get(6)?.slice(index * 2, (index * 2) + 2) ?? [];
		if (index < 0 || start === undefined) {
			throw new RangeError('a reference to a missing string');
		}

		return this.#decoder.decode(this.#bytes.subarray(start, Math.min(end, start + ((maxLength + 1) * bytesPerUnit))));
	}

	#keep(name: string): string {
		this.#characters += name.length;
		if (this.#characters > maxNameCharacters) {
			throw tooMany(maxNameCharacters, 'characters in names');
		}

		return name;
	}

	#count(): void {
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

	/** Adds the number of a field, or all those that lie there. */
	#readNumbers(into: number[], value: number, start: number, end: number): void {
		if (start < 0) {
			into.push(value);
			return;
		}

		for (this.#at = start; this.#at < end;) {
			into.push(this.#number(end));
			this.#count();
		}
	}

	/** Of each message of a field its numbers, by their fields. */
	* #numbersOf(field: number): Generator<readonly number[]> {
		for (const [start, end] of this.#spansOf(field)) {
			yield this.#message(start, end);
		}
	}

	/** The numbers of a message by their fields, the last of each (https://protobuf.dev/programming-guides/encoding/). */
	#message(start: number, end: number, take?: Take): readonly number[] {
		const numbers: number[] = [];
		for (let at = start; at < end; at = this.#at) {
			const tag = this.#bytes[at];
			const [id, type] = [tag >> 3, tag & 7];
			if (tag > 127 || id === 0 || (type !== 0 && type !== 2)) {
				throw new RangeError('an unknown field');
			}

			this.#at = at + 1;
			const value = this.#number(end);
			if (type === 0) {
				numbers[id] = value;
				take?.(id, value, -1, -1);
				continue;
			}

			const [from, to] = [this.#at, this.#at + value];
			if (!(value >= 0 && to <= end)) {
				throw new RangeError('truncated');
			}

			take?.(id, 0, from, to);
			this.#at = to;
		}

		return numbers;
	}

	/** The signed number of 64 bits that comes next, as a double. */
	#number(end: number): number {
		const [start, limit] = [this.#at, Math.min(end, this.#at + maxNumberBytes)];
		// The first four bytes, and 36 bits beyond.
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
