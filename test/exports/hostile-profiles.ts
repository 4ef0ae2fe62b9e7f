/* Small profiles that stand for very much, as no encoder would write them. Function 1 has string 5 as its name. */
const names = ['', 'samples', 'count', 'cpu', 'nanoseconds', 'Hot.run', 'thread'];
const firstOwnName = names.length;

function number(value: number): number[] {
	const bytes = [];
	for (let rest = value; ; rest = Math.floor(rest / 128)) {
		if (rest < 128) {
			return [...bytes, rest];
		}

		bytes.push((rest % 128) + 128);
	}
}

/** Numbers below 2^31, one after the other: into one buffer, as there are millions of them. */
function numbers(values: readonly number[]): Uint8Array {
	const bytes = Buffer.allocUnsafe(values.length * 5);
	let length = 0;
	for (const value of values) {
		let rest = value;
		for (; rest > 127; rest >>>= 7) {
			bytes[length++] = (rest & 127) | 128;
		}

		bytes[length++] = rest;
	}

	return bytes.subarray(0, length);
}

const numberField = (field: number, value: number) => [field << 3, ...number(value)];
const delimited = (field: number, content: Uint8Array | readonly number[]) => Buffer.concat([Buffer.from([(field << 3) + 2, ...number(content.length)]), content instanceof Uint8Array ? content : Buffer.from(content)]);
const list = (field: number, values: readonly number[]) => delimited(field, numbers(values));
const name = (text: string) => delimited(6, Buffer.from(text));
const named = (id: number, string: number) => delimited(5, [...numberField(1, id), ...numberField(2, string)]);
const location = (id: number, functionId: number, line: number) => delimited(4, [...numberField(1, id), ...delimited(4, [...numberField(1, functionId), ...numberField(2, line)])]);
const sample = (locations: readonly number[], ...labels: readonly Uint8Array[]) => delimited(2, Buffer.concat([list(1, locations), list(2, [1, 1_000_000]), ...labels]));
const threadLabel = (string: number) => delimited(3, [...numberField(1, 6), ...numberField(2, string)]);
const head = () => [delimited(1, [...numberField(1, 1), ...numberField(2, 2)]), delimited(1, [...numberField(1, 3), ...numberField(2, 4)]), ...names.map(text => name(text)), named(1, 5)];
const times = <Item>(count: number, item: (index: number) => Item): Item[] => Array.from({length: count}, (_, index) => item(index));
const profile = (...parts: ReadonlyArray<Uint8Array | readonly Uint8Array[]>) => Buffer.concat([...head(), ...parts].flat());

/** So many lines of one method, with a sample each. */
export const manyLines = (count: number) => profile(times(count, index => Buffer.concat([location(index + 1, 1, index + 1), sample([index + 1])])));

/** So many threads. */
export const manyThreads = (count: number) => profile(location(1, 1, 1), times(count, index => Buffer.concat([name(`t${index}`), sample([1], threadLabel(firstOwnName + index))])));

/** So many methods, their names 500 control characters, each of which takes four when it is written out. */
export const manyUnprintable = (count: number) => profile(times(count, index => Buffer.concat([
	name('\u0001'.repeat(490) + String(index).padStart(10, '0')), named(index + 2, firstOwnName + index), location(index + 1, index + 2, 1), sample([index + 1]),
])));

/** So many stacks of so many frames that share none: a ring of lines, begun elsewhere each time. */
export function deepStacks(count: number, depth: number, lines: number): Uint8Array {
	return profile(times(lines, index => location(index + 1, 1, index + 1)), times(count, stack => sample(times(depth, index => 1 + ((index + (stack * 97)) % lines)))));
}

/** So many stacks of so many frames that differ in the innermost one alone. */
export function likeStacks(count: number, depth: number): Uint8Array {
	return profile(times(depth + count, index => location(index + 1, 1, index + 1)), times(count, stack => sample([depth + stack + 1, ...times(depth - 1, index => index + 1)])));
}

/** So many labels on one sample. */
export const manyLabels = (count: number) => profile(location(1, 1, 1), sample([1], Buffer.alloc(count * 4, delimited(3, numberField(1, 6)))));

/** One name of so many bytes. */
export const longName = (length: number) => profile(name('x'.repeat(length)), named(2, firstOwnName), location(1, 2, 1), sample([1]));

/** So many entries of a field of the profile, all empty. */
export const manyEmpty = (field: number, count: number) => profile(location(1, 1, 1), sample([1]), Buffer.alloc(count * 2, delimited(field, [])));
