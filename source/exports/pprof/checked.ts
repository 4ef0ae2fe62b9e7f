import {printable} from '../../model/text.js';

/*
Values of a JSON document from a file, checked one by one: each function returns the value with its type, or throws
RangeError.
*/

/** An object. */
export function record(value: unknown): Record<string, unknown> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new RangeError('an object is missing from the session data');
	}

	return value as Record<string, unknown>;
}

/** An array of at most so many items. */
export function list(value: unknown, maxLength: number): unknown[] {
	if (!Array.isArray(value) || value.length > maxLength) {
		throw new RangeError('a list in the session data is missing or too long');
	}

	return value;
}

/** An array of two numbers, each checked by its own function. */
export function pair(value: unknown, first: (value: unknown) => number, second: (value: unknown) => number): readonly [number, number] {
	const items = list(value, 2);
	return [first(items[0]), second(items[1])];
}

/** A whole number from `min` to `max`. */
export function whole(value: unknown, min: number, max: number): number {
	if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max) {
		throw new RangeError('a number in the session data is missing or out of range');
	}

	return value as number;
}

/** A number of 0 or more. */
export function amount(value: unknown): number {
	if (typeof value !== 'number' || !(value >= 0 && value <= Number.MAX_SAFE_INTEGER)) {
		throw new RangeError('a count in the session data is missing or out of range');
	}

	return value;
}

/** Epoch milliseconds that Date can hold (ECMAScript, time values). */
export function moment(value: unknown): number {
	if (amount(value) > 8.64e15) {
		throw new RangeError('a time in the session data is out of range');
	}

	return value as number;
}

/** A string, made printable and cut to `maxLength` (of a name if left out). */
export function text(value: unknown, maxLength?: number): string {
	if (typeof value !== 'string') {
		throw new RangeError('a name is missing from the session data');
	}

	return printable(value, maxLength);
}

/** The code of a name: its index in the list. */
export function oneOf<Name extends string>(names: readonly Name[], value: unknown): number {
	const code = names.indexOf(value as Name);
	if (code === -1) {
		throw new RangeError('the session data has an unknown thread state or lock kind');
	}

	return code;
}
