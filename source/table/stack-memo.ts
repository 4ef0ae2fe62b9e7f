import type {Sample} from '../model/sample.js';

/**
The stacks of the sample before, by thread record, of the rows that were looked up in it: most threads stand where they
stood, and comparing fifty frames is several times faster than fifty look-ups in the trie.
*/
export class StackMemo {
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

	/** Node of a row's stack if its thread had the same stack in the sample before; -1 otherwise. */
	find(record: number, sample: Sample, row: number): number {
		const length = sample.stackLength[row];
		if (record >= this.#seen.length || this.#seen[record] !== this.#sampleNumber - 1 || this.#length[record] !== length) {
			return -1;
		}

		const {frames} = sample;
		const known = this.#frames;
		const start = sample.stackStart[row];
		const knownStart = this.#start[record];
		for (let at = 0; at < length; at++) {
			if (frames[start + at] !== known[knownStart + at]) {
				return -1;
			}
		}

		return this.#node[record];
	}

	/**
	Keeps the node of a row's stack for the next sample. A record that comes twice in a sample is not found again in
	this one.
	*/
	keep(record: number, sample: Sample, row: number, node: number): void {
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

	/** All rows are done: this sample's frames become those of the sample before. */
	endSample(): void {
		[this.#frames, this.#newFrames] = [this.#newFrames, this.#frames];
		this.#newCount = 0;
		this.#sampleNumber++;
	}
}

function longer(from: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
	const to = new Int32Array(size);
	to.set(from);
	return to;
}
