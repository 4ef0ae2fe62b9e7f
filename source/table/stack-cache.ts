import type {Sample} from '../model/sample.js';
import type {DictionaryWriter} from './dictionary.js';
import {otherNode} from './layout.js';

/** A stack: where its frames are, the innermost first; and with its node, -1 where that is not known. */
type Stack = {readonly frames: Int32Array; readonly start: number; readonly length: number};
type Placed = Stack & {readonly node: number};

/** Stacks that are copied in the time that looking one up takes. */
const copiesPerLookUp = 64;

/**
The stacks of the sample before, by row: most threads stand where they stood, and comparing frames is several times
faster than looking them up in the trie. Where a row is another thread's by now, only what both stacks share is saved.
*/
export class StackCache {
	readonly #dictionary: DictionaryWriter;
	#count = 0;
	#frames = new Int32Array();
	#start = new Int32Array();
	#length = new Int32Array();
	#node = new Int32Array();

	constructor(dictionary: DictionaryWriter) {
		this.#dictionary = dictionary;
	}

	/** Node of the stack of a row. */
	nodeOf({frames, stackStart, stackLength}: Sample, row: number): number {
		const node = row < this.#count ? this.#node[row] : -1;
		return this.#nodeOf({frames, start: stackStart[row], length: stackLength[row]}, {
			node, frames: this.#frames, start: this.#start[row], length: this.#length[row],
		});
	}

	/** Node of the stack of attributed CPU time, whose row has that node: most callers of a running thread are where it is, too. */
	nodeOfAttributedCpu({attributedCpu, frames, stackStart, stackLength}: Sample, index: number, node: number): number {
		const row = attributedCpu.row[index];
		return this.#nodeOf(
			{frames, start: attributedCpu.stackStart[index], length: attributedCpu.stackLength[index]},
			{frames, start: stackStart[row], length: stackLength[row], node},
		);
	}

	/** All rows are done, and have these nodes: keeps a copy of their stacks, unless hardly any was looked up. */
	endSample({count, frameCount, frames, stackStart, stackLength}: Sample, nodes: Int32Array, lookedUp: number): void {
		this.#count = lookedUp * copiesPerLookUp < count ? 0 : count;
		if (this.#count === 0) {
			return;
		}

		this.#frames = copied(frames, frameCount, this.#frames);
		this.#start = copied(stackStart, count, this.#start);
		this.#length = copied(stackLength, count, this.#length);
		this.#node = copied(nodes, count, this.#node);
	}

	/** Looks up those frames only that another stack does not have. */
	#nodeOf({frames, start, length}: Stack, known: Placed): number {
		if (known.node < 0) {
			return this.#dictionary.internStack(frames, start, length);
		}

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
}

/** A copy of the first values, in the same array while they fit. */
function copied(from: Int32Array, count: number, to: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
	const into = count > to.length ? new Int32Array(count * 2) : to;
	into.set(from.subarray(0, count));
	return into;
}
