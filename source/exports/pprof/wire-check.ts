/*
The decoder of pprof-format trusts its input: a length that lies reads as garbage, a number of a million bytes takes minutes. So bytes are checked against the format before they reach it.
Format: https://protobuf.dev/programming-guides/encoding/ and https://github.com/google/pprof/blob/main/proto/profile.proto
*/

type Kind = 'number' | 'numbers' | 'text' | Message;
type Message = {readonly [field: number]: Kind};

const valueType: Message = {1: 'number', 2: 'number'};
const label: Message = {1: 'number', 2: 'number', 3: 'number', 4: 'number'};
const line: Message = {1: 'number', 2: 'number', 3: 'number'};
const profile: Message = {
	1: valueType,
	2: {1: 'numbers', 2: 'numbers', 3: label},
	3: {1: 'number', 2: 'number', 3: 'number', 4: 'number', 5: 'number', 6: 'number', 7: 'number', 8: 'number', 9: 'number', 10: 'number'},
	4: {1: 'number', 2: 'number', 3: 'number', 4: line, 5: 'number'},
	5: {1: 'number', 2: 'number', 3: 'number', 4: 'number', 5: 'number'},
	6: 'text',
	7: 'number',
	8: 'number',
	9: 'number',
	10: 'number',
	11: valueType,
	12: 'number',
	13: 'numbers',
	14: 'number',
	15: 'number',
};

/** Messages and strings in a profile: our largest (50,000 facts, 5 each, and their frames) has a sixth of it; as objects they take some 200 MB. */
export const maxMessages = 2_000_000;

/** Numbers in lists: 50,000 facts with stacks of 150 frames; decoding them takes about a second. */
export const maxListNumbers = 8_000_000;

/** A 64-bit number takes 10 bytes at most. */
const maxNumberBytes = 10;

/** Checks that the bytes are a whole profile within bounds. Throws RangeError with what is wrong. */
export function checkProfileBytes(bytes: Uint8Array): void {
	new Walk(bytes).message(0, bytes.length, profile);
}

class Walk {
	readonly #bytes: Uint8Array;
	#messages = 0;
	#listNumbers = 0;

	constructor(bytes: Uint8Array) {
		this.#bytes = bytes;
	}

	message(start: number, end: number, message: Message): void {
		let at = start;
		while (at < end) {
			const tag = this.#bytes[at++];
			if (tag > 127 || tag < 8) {
				throw new RangeError('an unknown field');
			}

			const kind = message[tag >> 3] as Kind | undefined;
			const wire = tag & 7;
			if (wire === 0 && (kind === undefined || kind === 'number' || kind === 'numbers')) {
				at = this.#skipNumber(at, end);
				this.#countNumber(kind === 'numbers');
			} else if (wire === 2 && kind !== 'number') {
				at = this.#delimited(at, end, kind);
			} else {
				throw new RangeError('a field of the wrong type');
			}
		}
	}

	#delimited(start: number, end: number, kind: Kind | undefined): number {
		let length = 0;
		const from = this.#skipNumber(start, end);
		for (let at = from - 1; at >= start; at--) {
			length = (length * 128) + (this.#bytes[at] & 127);
		}

		const to = from + length;
		if (to > end) {
			throw new RangeError('cut short');
		}

		if (++this.#messages > maxMessages) {
			throw new RangeError(`more than ${maxMessages} entries`);
		}

		if (kind === 'numbers') {
			for (let at = from; at < to;) {
				at = this.#skipNumber(at, to);
				this.#countNumber(true);
			}
		} else if (typeof kind === 'object') {
			this.message(from, to, kind);
		}

		return to;
	}

	#countNumber(inList: boolean): void {
		if (inList && ++this.#listNumbers > maxListNumbers) {
			throw new RangeError(`more than ${maxListNumbers} stack frames and values`);
		}
	}

	/** Where the number that starts at `start` has ended. */
	#skipNumber(start: number, end: number): number {
		const limit = Math.min(end, start + maxNumberBytes);
		for (let at = start; at < limit; at++) {
			if (this.#bytes[at] < 128) {
				return at + 1;
			}
		}

		throw new RangeError(limit === end ? 'cut short' : 'a number too long');
	}
}
