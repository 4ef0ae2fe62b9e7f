import type {Label} from 'pprof-format';
import {maxNameLength, printable} from '../../model/text.js';
import {maxLocations, maxNameCharacters, tooMany} from './limits.js';
import type {PiecewiseProfile} from './piecewise.js';

/** A frame as a location says it: function name as one text, file as the profile has it, line 0 if not known. */
type ProfileFrame = {readonly functionId: number; readonly functionName: string; readonly file: string; readonly line: number};

/** A class name, a dot, a method name. */
const maxFunctionNameLength = (2 * maxNameLength) + 1;

type Numeric = number | bigint;

/**
Checked access to a decoded profile: every index is checked, every string made printable. Throws RangeError with what is
wrong.
*/
export class ProfileTables {
	/** By location id, innermost (inlined) frame first. */
	readonly locations = new Map<number, readonly ProfileFrame[]>();
	readonly #profile: PiecewiseProfile;
	readonly #printable = new Map<number, string>();
	#characters = 0;

	constructor(profile: PiecewiseProfile) {
		this.#profile = profile;
		const functions = new Map<number, Omit<ProfileFrame, 'line'>>();
		for (const {id, name, filename} of profile.function) {
			const functionName = printable(this.#raw(name, maxFunctionNameLength), maxFunctionNameLength);
			this.#keep(functionName);
			functions.set(size(id), {functionId: size(id), functionName, file: this.text(filename)});
		}

		let lines = 0;
		for (const {id, address, line} of profile.location) {
			lines += line.length;
			if (lines > maxLocations) {
				throw tooMany(maxLocations, 'lines');
			}

			const frames = line.map(item => {
				const found = functions.get(size(item.functionId));
				if (!found) {
					throw new RangeError('a reference to a missing function');
				}

				this.#keep(found.functionName);
				return {...found, line: lineOf(item.line)};
			});
			this.locations.set(size(id), frames.length > 0
				? frames
				: [{
					functionId: 0, functionName: `0x${BigInt.asUintN(64, BigInt(address)).toString(16)}`, file: '', line: 0,
				}]);
		}
	}

	/** A string by its index, printable, cut to the length of a name. */
	text(index: Numeric): string {
		const at = size(index);
		let text = this.#printable.get(at);
		if (text === undefined) {
			text = printable(this.#raw(index, maxNameLength));
			this.#keep(text);
			this.#printable.set(at, text);
		}

		return text;
	}

	frames(locationId: Numeric): readonly ProfileFrame[] {
		const frames = this.locations.get(size(locationId));
		if (!frames) {
			throw new RangeError('a reference to a missing location');
		}

		return frames;
	}

	/** Labels by key; of several with one key the last. */
	labels(labels: readonly Label[]): ReadonlyMap<string, {readonly text: string; readonly num: number}> {
		return new Map(labels.map(label => [this.text(label.key), {text: this.text(label.str), num: signed(label.num)}]));
	}

	#raw(index: Numeric, maxLength: number): string {
		const text = this.#profile.string(size(index), maxLength);
		if (text === undefined) {
			throw new RangeError('a reference to a missing string');
		}

		return text;
	}

	#keep(name: string): void {
		this.#characters += name.length;
		if (this.#characters > maxNameCharacters) {
			throw tooMany(maxNameCharacters, 'characters in names');
		}
	}
}

/** A number that counts or indexes: 0 .. 2^53 - 1. */
export function size(value: Numeric): number {
	const number = Number(value);
	if (!Number.isSafeInteger(number) || number < 0) {
		throw new RangeError('a number out of range');
	}

	return number;
}

/** A signed 64-bit number as a double; protobuf has negative ones as 2^64 - n. */
export function signed(value: Numeric): number {
	return Number(BigInt.asIntN(64, BigInt(value)));
}

// Line numbers of class files have 16 bits (JVM specification, 4.7.12), those of other languages up to 31.
function lineOf(value: Numeric): number {
	const line = signed(value);
	return line > 0 && line <= 2_147_483_647 ? line : 0;
}
