import {VarintWriter} from '../../source/util/varints.js';

/* Small profiles of very much, as no encoder would write them. Function 1 has string 5 as its name. */
const names = ['', 'samples', 'count', 'cpu', 'nanoseconds', 'Hot.run', 'thread'];
const firstOwnName = names.length;

const to = new VarintWriter();

function numbers(values: readonly number[]): Uint8Array {
	for (const value of values) {
		to.number(value);
	}

	return to.take();
}

/** A field with bytes, or a text. */
function delimited(field: number, content: Uint8Array | string): Uint8Array {
	to.number((field << 3) + 2);
	to.byteString(content);
	return to.take();
}

const list = (field: number, values: readonly number[]) => delimited(field, numbers(values));
/** A field with a message of these numbers, by their own fields 1 and 2. */
const pair = (field: number, first: number, second: number) => list(field, [8, first, 16, second]);
const name = (text: string) => delimited(6, text);
const named = (id: number, string: number) => pair(5, id, string);
const location = (id: number, functionId: number, line: number) =>
	delimited(4, Buffer.concat([numbers([8, id]), pair(4, functionId, line)]));
const sample = (locations: readonly number[], ...labels: readonly Uint8Array[]) =>
	delimited(2, Buffer.concat([list(1, locations), list(2, [1, 1_000_000]), ...labels]));
const threadLabel = (string: number) => pair(3, 6, string);
const head = () => [pair(1, 1, 2), pair(1, 3, 4), ...names.map(text => name(text)), named(1, 5)];
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
	Array.from({length: count}, (_, index) => item(index));
const profile = (...parts: ReadonlyArray<Uint8Array | readonly Uint8Array[]>) =>
	Buffer.concat([...head(), ...parts].flat());

/** Lines of one method, with a sample each. */
export const manyLines = (count: number) =>
	profile(times(count, index => Buffer.concat([location(index + 1, 1, index + 1), sample([index + 1])])));

/** Threads with a sample each. */
export const manyThreads = (count: number) =>
	profile(
		location(1, 1, 1),
		times(count, index => Buffer.concat([name(`t${index}`), sample([1], threadLabel(firstOwnName + index))])),
	);

/** Methods, their names 500 control characters, each of which takes four when it is written out. */
export const manyUnprintable = (count: number) =>
	profile(times(count, index =>
		Buffer.concat([
			name('\u0001'.repeat(490) + String(index).padStart(10, '0')),
			named(index + 2, firstOwnName + index),
			location(index + 1, index + 2, 1),
			sample([index + 1]),
		])));

/** Stacks that share no frame: a ring of lines, begun elsewhere each time. */
export function deepStacks(count: number, depth: number, lines: number): Uint8Array {
	return profile(
		times(lines, index => location(index + 1, 1, index + 1)),
		times(count, stack => sample(times(depth, index => 1 + ((index + (stack * 97)) % lines)))),
	);
}

/** Stacks that differ in the innermost frame alone. */
export function likeStacks(count: number, depth: number): Uint8Array {
	return profile(
		times(depth + count, index => location(index + 1, 1, index + 1)),
		times(count, stack => sample([depth + stack + 1, ...times(depth - 1, index => index + 1)])),
	);
}

/** Labels on one sample. */
export const manyLabels = (count: number) =>
	profile(location(1, 1, 1), sample([1], Buffer.alloc(count * 4, list(3, [8, 6]))));

/** One name of this length in bytes. */
export const longName = (length: number) =>
	profile(name('x'.repeat(length)), named(2, firstOwnName), location(1, 2, 1), sample([1]));

/** Entries of a field of the profile, all empty. */
export const manyEmpty = (field: number, count: number) =>
	profile(location(1, 1, 1), sample([1]), Buffer.alloc(count * 2, list(field, [])));
