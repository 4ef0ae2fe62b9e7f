import {endianness} from 'node:os';

/** Eleven bits are a digit, so that the counts of one fit into the cache: three digits a word. */
const digitBits = 11;
const digits = 2 ** digitBits;
const shifts = [0, digitBits, 2 * digitBits];

/**
The indexes of numbers in ascending order, equal ones as they stand. Digit by digit of what the numbers are as bytes
(IEEE 754), which takes as many steps for each number however many there are. None may be NaN.
*/
export function orderOf(numbers: Float64Array): Uint32Array {
	const [low, high] = wordsOf(numbers);
	let order = new Uint32Array(numbers.length);
	for (let index = 0; index < order.length; index++) {
		order[index] = index;
	}

	let next = new Uint32Array(numbers.length);
	for (const words of [low, high]) {
		for (const shift of shifts) {
			if (sortByDigit(words, shift, order, next)) {
				[order, next] = [next, order];
			}
		}
	}

	return order;
}

/** The two halves of each number, made such that those of a greater number are greater. */
function wordsOf(numbers: Float64Array): [low: Uint32Array, high: Uint32Array] {
	const {length} = numbers;
	const [low, high] = [new Uint32Array(length), new Uint32Array(length)];
	const number = new Float64Array(1);
	const halves = new Uint32Array(number.buffer);
	const [lowHalf, highHalf] = endianness() === 'LE' ? [0, 1] : [1, 0];
	for (let index = 0; index < length; index++) {
		// Without the sign of -0, which is equal to 0.
		number[0] = numbers[index] + 0;
		const isNegative = halves[highHalf] >= 2 ** 31;
		low[index] = isNegative ? ~halves[lowHalf] : halves[lowHalf];
		high[index] = isNegative ? ~halves[highHalf] : halves[highHalf] + (2 ** 31);
	}

	return [low, high];
}

/** Puts the indexes into `next`, sorted by a digit of their words; false, with nothing done, where all have the same. */
function sortByDigit(words: Uint32Array, shift: number, order: Uint32Array, next: Uint32Array): boolean {
	const start = new Uint32Array(digits + 1);
	for (const word of words) {
		start[((word >>> shift) & (digits - 1)) + 1]++;
	}

	if (words.length === 0 || start[((words[0] >>> shift) & (digits - 1)) + 1] === words.length) {
		return false;
	}

	for (let digit = 0; digit < digits; digit++) {
		start[digit + 1] += start[digit];
	}

	for (const index of order) {
		next[start[(words[index] >>> shift) & (digits - 1)]++] = index;
	}

	return true;
}
