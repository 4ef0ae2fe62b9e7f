/* Names from a target or a file may hold any characters. They are made printable as soon as they are read. */

declare const isPrintable: unique symbol;

/** Methods of strings whose results are printable if the text is. The interface has no properties at run time. */
type Parts = {
	readonly [isPrintable]: true;
	slice(start?: number, end?: number): Printable;
	padStart(length: number, fill?: '0'): Printable;
	padEnd(length: number): Printable;
	repeat(count: number): Printable;
	replace(pattern: RegExp, by: Printable): Printable;
	replaceAll(pattern: RegExp, by: Printable): Printable;
	toUpperCase(): Printable;
	trim(): Printable;
	trimStart(): Printable;
	trimEnd(): Printable;
	split(separator: string | RegExp, limit?: number): Printable[];
	[Symbol.iterator](): StringIterator<Printable>;
};

/**
A text without characters that control a terminal or are invisible. Only functions of this file and readers of the
sampler's table, whose texts have passed them, make one.
*/
export type Printable = Parts & string;

/** Whether a type is a string literal: `Record<'a', 1>` requires a property, `Record<string, 1>` does not. */
type IsLiteral<Text extends string> = Record<never, 1> extends Record<Text, 1> ? false : true;

/** A number, a printable text or a literal of our own source; `never` for any other text. */
type Safe<Value> = Value extends Printable | number
	? Value
	: (Value extends string ? (IsLiteral<Value> extends true ? Value : never) : never);

/** Returns the text of a template of our own, such as safe`pid ${pid}`. Other texts in it must be printable. */
export function safe<const Values extends readonly unknown[]>(
	literals: TemplateStringsArray,
	...values: {readonly [Index in keyof Values]: Safe<Values[Index]>}
): Printable {
	let text = literals[0];
	for (const [index, value] of values.entries()) {
		text += String(value) + literals[index + 1];
	}

	return text as Printable;
}

/** Returns a number with this many decimals, as `toFixed` does. */
export function fixed(value: number, digits: number): Printable {
	return value.toFixed(digits) as Printable;
}

/** Returns the texts, joined. */
export function joined(texts: readonly Printable[], separator: Printable): Printable {
	return texts.join(separator) as Printable;
}

/**
Characters that control a terminal or are invisible: controls, line and paragraph separators, lone surrogates, Unicode's
default ignorables (bidi controls, zero-width characters, fillers, variation selectors, tags), noncharacters,
interlinear annotation, and the blank Braille pattern.
*/
const unsafe
	= /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u{FFF9}-\u{FFFB}\u{2800}]/gu;

/** Most names are printable ASCII, which needs no escaping. */
const plain = /^[ -~]*$/;

/** A constant because String.raw is slow. */
const backslash = '\\';

/** Maximum length of a name, UTF-16 units; longer ones end in an ellipsis. Thread names of 5,000 characters exist. */
export const maxNameLength = 512;

/** Returns the text with unsafe characters as \xNN, \uNNNN or \u{NNNNN}, elided at its end beyond `maxLength`. */
export function printable(text: string, maxLength = maxNameLength): Printable {
	const head = text.length > maxLength ? text.slice(0, maxLength) : text;
	const shown = plain.test(head) ? head : escapeUnsafe(head, maxLength);
	return (head === text && shown.length <= maxLength ? shown : withEllipsis(shown, maxLength)) as Printable;
}

/** Returns the text; if longer than `maxLength` UTF-16 units, its start and an ellipsis. */
export function elide(text: Printable, maxLength = maxNameLength): Printable {
	return text.length > maxLength ? withEllipsis(text, maxLength) as Printable : text;
}

function withEllipsis(text: string, maxLength: number): string {
	return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Escapes unsafe characters; stops soon after `maxLength`. */
function escapeUnsafe(text: string, maxLength: number): string {
	// Joined at the end: V8 would keep a string built by concatenation as a tree, which takes several times the memory.
	const parts: string[] = [];
	let length = 0;
	let at = 0;
	for (const {0: character, index} of text.matchAll(unsafe)) {
		const part = text.slice(at, index) + escaped(character.codePointAt(0)!);
		parts.push(part);
		length += part.length;
		at = index + character.length;
		if (length > maxLength) {
			return parts.join('');
		}
	}

	return [...parts, text.slice(at)].join('');
}

function escaped(code: number): string {
	const digits = code.toString(16);
	if (code < 0x1_00) {
		return `${backslash}x${digits.padStart(2, '0')}`;
	}

	return code < 0x1_00_00 ? `${backslash}u${digits.padStart(4, '0')}` : `${backslash}u{${digits}}`;
}

/** Returns a thread's name with its numbers as asterisks: `http-nio-8080-exec-12` becomes `http-nio-*-exec-*`. */
export function poolName(name: Printable): Printable {
	return name.replaceAll(/\d+/g, safe`*`);
}

/** TASK_COMM_LEN without the zero. */
const kernelNameBytes = 15;

/** Whether a kernel name is a name's first 15 bytes or (since 19, os_linux.cpp) its first 7, two dots and last 6. */
export function matchesKernelName(kernel: string, name: string): boolean {
	if (kernel === '') {
		return name === '';
	}

	const bytes = Buffer.from(name);
	if (bytes.length <= kernelNameBytes) {
		return kernel === name;
	}

	const [start, first, last] = [bytes.subarray(0, kernelNameBytes), bytes.subarray(0, 7), bytes.subarray(-6)];
	return kernel === start.toString() || kernel === `${first.toString()}..${last.toString()}`;
}

/** Number of possible hashes; a prime. */
export const hashes = 65_521;

/** Returns a number below `hashes` that is the same for equal texts. */
export function hash(text: string): number {
	let value = 0;
	for (const character of text) {
		value = ((value * 31) + character.codePointAt(0)!) % hashes;
	}

	return value;
}

/** The bytes of a UTF-16 unit beyond ASCII, or a byte that is not part of one. */
const encodedUnit = /[\u00C0-\u00DF][\u0080-\u00BF]|[\u00E0-\u00EF][\u0080-\u00BF]{2}|[\u0080-\u00FF]/g;

const replacement = '\uFFFD';

/**
Decodes "modified UTF-8" (JVMS 4.4.7), the encoding of names in class files and HotSpot. A character beyond U+FFFF is
two surrogates of three bytes each; invalid bytes become U+FFFD. The result must go through `printable`.
*/
export function decodeModifiedUtf8(bytes: Uint8Array, start = 0, end = bytes.length): string {
	const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
	return latin1.replaceAll(encodedUnit, unit => decodeUnit(unit));
}

function decodeUnit(unit: string): string {
	if (unit.length === 1) {
		return replacement;
	}

	const [first, second, third] = Buffer.from(unit, 'latin1');
	const code = third === undefined
		? ((first & 0x1F) << 6) | (second & 0x3F)
		: ((first & 0x0F) << 12) | ((second & 0x3F) << 6) | (third & 0x3F);
	return String.fromCodePoint(code);
}
