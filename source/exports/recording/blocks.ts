import {crc32, deflateRawSync, inflateRawSync} from 'node:zlib';
import type {Dictionary} from '../../model/snapshot.js';
import type {WindowFigures} from '../../query/past/past-ring.js';
import {VarintReader, VarintWriter} from '../../util/varints.js';

/* The blocks of a recording. docs/formats.md has the format. */

/** The first line of a recording, with the number of its format. */
export const firstLine = 'tprof-top recording 1\n';

/** Whether a file begins like a recording, of any version. */
export function isRecording(head: Uint8Array): boolean {
	return Buffer.from(head.subarray(0, firstLine.length)).toString('latin1').startsWith('tprof-top recording ');
}

/** An index holds all counters at a moment, not their change. */
export const blockKinds = {session: 0, window: 1, index: 2} as const;

/** The header of a block. */
export type BlockHead = WindowFigures & {
	/** Of `blockKinds`. */
	readonly kind: number;
	/** Windows before it. */
	readonly number: number;
	/** Bytes of the block, and of its content when unpacked. */
	readonly size: number;
	readonly unpackedSize: number;
};

/** A block begins with it. */
export const signature = Buffer.from('\n.tprof\n');
/** After it come four numbers of 32 bits, five doubles and the CRC. */
const doublesAt = signature.length + (4 * 4);
const crcAt = doublesAt + (5 * 8);
export const headLength = crcAt + 4;

/** More than the seconds of two days. */
export const maxWindows = 200_000;

/** An index of a full table takes less. */
const maxBlockBytes = 64 * 1024 * 1024;

/** Returns a block. `number`: windows before it. */
export function packed(
	kind: number,
	number: number,
	{atMs, cpuNs, sampledMs, blockedTicks, samples}: WindowFigures,
	content: Uint8Array,
): Uint8Array {
	const deflated = deflateRawSync(content);
	const block = new Uint8Array(headLength + deflated.length);
	const view = new DataView(block.buffer);
	block.set(signature);
	for (const [index, value] of [kind, block.length, content.length, number].entries()) {
		view.setUint32(signature.length + (index * 4), value, true);
	}

	for (const [index, value] of [atMs, cpuNs, sampledMs, blockedTicks, samples].entries()) {
		view.setFloat64(doublesAt + (index * 8), value, true);
	}

	block.set(deflated, headLength);
	view.setUint32(crcAt, blockCrc(block), true);
	return block;
}

/** Returns the CRC-32 of a block without its CRC field. */
function blockCrc(block: Uint8Array): number {
	return crc32(block.subarray(headLength), crc32(block.subarray(0, crcAt)));
}

/** Reads a block's header; undefined if the bytes are not a header or its sizes are out of bounds. */
export function headOf(bytes: Uint8Array): BlockHead | undefined {
	if (bytes.length < headLength || signature.compare(bytes, 0, signature.length) !== 0) {
		return undefined;
	}

	const view = new DataView(bytes.buffer, bytes.byteOffset);
	const numberAt = (index: number) => view.getUint32(signature.length + (index * 4), true);
	const [kind, size, unpackedSize, number] = [numberAt(0), numberAt(1), numberAt(2), numberAt(3)];
	if (size < headLength || size > maxBlockBytes || unpackedSize > maxBlockBytes) {
		return undefined;
	}

	const doubleAt = (index: number) => view.getFloat64(doublesAt + (index * 8), true);
	return {
		kind,
		size,
		unpackedSize,
		number,
		atMs: doubleAt(0),
		cpuNs: doubleAt(1),
		sampledMs: doubleAt(2),
		blockedTicks: doubleAt(3),
		samples: doubleAt(4),
	};
}

/** Checks a block's CRC-32. */
export function isWhole(block: Uint8Array): boolean {
	return new DataView(block.buffer, block.byteOffset).getUint32(crcAt, true) === blockCrc(block);
}

/** Returns the content of a block whose CRC is right. Throws RangeError if it does not inflate. */
export function unpacked(block: Uint8Array): Uint8Array {
	const {unpackedSize} = headOf(block)!;
	try {
		return inflateRawSync(block.subarray(headLength), {maxOutputLength: Math.max(1, unpackedSize)});
	} catch {
		throw new RangeError('a block that cannot be unpacked');
	}
}

export type NameCounts = readonly [strings: number, frames: number, nodes: number];

export const noNames: NameCounts = [0, 0, 0];

export function nameCounts({strings, frameCount, nodeCount}: Dictionary): NameCounts {
	return [strings.length, frameCount, nodeCount];
}

const bytes = new VarintWriter();

/** Returns the content of a window or an index: the names from `from` on, and its body. */
export function contentOf(dictionary: Dictionary, from: NameCounts, body: Uint8Array): Uint8Array {
	const {strings, frameClass, frameMethod, frameFile, frameLine, nodeParent, nodeFrame} = dictionary;
	const to = nameCounts(dictionary);
	const writers = [
		(id: number) => {
			bytes.byteString(strings[id]);
		},
		(id: number) => {
			for (const value of [frameClass[id], frameMethod[id], frameFile[id]]) {
				bytes.number(value);
			}

			bytes.signed(frameLine[id]);
		},
		(id: number) => {
			bytes.number(nodeParent[id]);
			bytes.number(nodeFrame[id]);
		},
	];
	for (const [part, write] of writers.entries()) {
		bytes.number(from[part]);
		bytes.number(to[part] - from[part]);
		for (let id = from[part]; id < to[part]; id++) {
			write(id);
		}
	}

	const names = bytes.take();
	bytes.byteString(names);
	bytes.bytes(body);
	return bytes.take();
}

/** Splits the content of a window or an index. Throws RangeError. */
export function partsOf(content: Uint8Array): {readonly names: Uint8Array; readonly body: Uint8Array} {
	const from = new VarintReader(content);
	return {names: from.byteString(), body: from.bytes()};
}
