import {rootNode} from '../model/frame.js';
import type {Sample} from '../model/sample.js';
import type {DictionaryWriter} from './dictionary.js';
import {otherNode} from './layout.js';

/** A stack: where its frames are, the innermost first; and with its node. */
type Stack = {readonly frames: Int32Array; readonly start: number; readonly length: number};
type Placed = Stack & {readonly node: number};

const noStack: Placed = {frames: new Int32Array(), start: 0, length: 0, node: rootNode};

/**
The stacks of the sample before, by thread record, of the rows that were looked up in it: most threads stand where they
stood, and comparing fifty frames is several times faster than fifty look-ups in the trie.
*/
export class StackCache {
	readonly #dictionary: DictionaryWriter;
	/** Frames of the sample before, and of this one; how many of this one there are. */
	#frames = new Int32Array(4096);
	#newFrames = new Int32Array(4096);
	#newCount = 0;
	/** Of each record: where its frames begin, how many there are, their node, and in which sample it was seen. */
	#start = new Int32Array(256);
	#length = new Int32Array(256);
	#node = new Int32Array(256);
	#seen = new Int32Array(256);
	/** Starts at 2, so that a record never seen does not look like one of the sample before. */
	#sampleNumber = 2;

	constructor(dictionary: DictionaryWriter) {
		this.#dictionary = dictionary;
	}

	/** Node of the stack of a row, which is this record's thread. */
	nodeOf(record: number, sample: Sample, row: number): number {
		const {frames, stackStart, stackLength} = sample;
		const isKnown = record < this.#seen.length && this.#seen[record] === this.#sampleNumber - 1;
		const known: Placed = isKnown ? {node: this.#node[record], frames: this.#frames, start: this.#start[record], length: this.#length[record]} : noStack;
		const node = this.#nodeOf({frames, start: stackStart[row], length: stackLength[row]}, known);
		this.#keep(record, sample, row, node);
		return node;
	}

	/** Node of the stack of attributed CPU time, whose row has that node: most callers of a running thread are where it is, too. */
	nodeOfAttributedCpu({attributedCpu, frames, stackStart, stackLength}: Sample, index: number, node: number): number {
		const row = attributedCpu.row[index];
		return this.#nodeOf(
			{frames, start: attributedCpu.stackStart[index], length: attributedCpu.stackLength[index]},
			{frames, start: stackStart[row], length: stackLength[row], node},
		);
	}

	/** All rows are done: this sample's frames become those of the sample before. */
	endSample(): void {
		[this.#frames, this.#newFrames] = [this.#newFrames, this.#frames];
		this.#newCount = 0;
		this.#sampleNumber++;
	}

	/** Looks up those frames only that another stack, whose node is known, does not have. */
	#nodeOf({frames, start, length}: Stack, known: Placed): number {
		const most = Math.min(length, known.length);
		const last = start + length - 1;
		const knownLast = known.start + known.length - 1;
		let same = 0;
		while (same < most && frames[last - same] === known.frames[knownLast - same]) {
			same++;
		}

		const more = known.length - same;
		return known.node === otherNode && (same < length || more > 0)
			? this.#dictionary.internStack(frames, start, length)
			: this.#dictionary.internStack(frames, start, length - same, this.#dictionary.callerOf(known.node, more));
	}

	/**
	Keeps the node of a row's stack for the next sample. A record that comes twice in a sample is not found again in
	this one.
	*/
	#keep(record: number, sample: Sample, row: number, node: number): void {
		if (record >= this.#seen.length) {
			const size = record * 2;
			this.#start = longer(this.#start, size);
			this.#length = longer(this.#length, size);
			this.#node = longer(this.#node, size);
			this.#seen = longer(this.#seen, size);
		}

		const length = sample.stackLength[row];
		const start = this.#newCount;
		this.#newCount += length;
		if (this.#newCount > this.#newFrames.length) {
			this.#newFrames = longer(this.#newFrames, this.#newCount * 2);
		}

		const {frames} = sample;
		for (let at = 0, from = sample.stackStart[row]; at < length; at++) {
			this.#newFrames[start + at] = frames[from + at];
		}

		this.#start[record] = start;
		this.#length[record] = length;
		this.#node[record] = node;
		this.#seen[record] = this.#sampleNumber;
	}
}

function longer(from: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
	const to = new Int32Array(size);
	to.set(from);
	return to;
}
