import {type Sample} from '../../../model/sample.js';
import {currentMoment} from './thread-part.js';

/**
Rows that are used again keep their frames in the sample, and new frames are appended. A sample is rebuilt from scratch
if it has more frames than twice those in use plus this many.
*/
const maxExtraFrames = 1 << 16;

/** The row of a thread, or of a group of threads, in the sample that had it last. Only `RowCache` writes it. */
export class SampleRow {
	/** -1 if no sample has had it yet. */
	index = -1;
	/** Number of that sample. */
	sampleNumber = 0;
	/** The moment when it was filled, see `thread-part.ts`. */
	filledAt = 0;
}

/** What a row shows: a thread, or a group of threads. */
type RowSource = {
	readonly row: SampleRow;
	/** Whether the row would be another if it were filled again; see `thread-part.ts`. */
	changedSince(moment: number): boolean;
};

/** Uses rows of the previous sample again, if the same sample object is filled each time. */
export class RowCache {
	#sample?: Sample;
	/** Number of rows of the previous sample; 0 if they cannot be used again. */
	#count = 0;
	#framesInUse = 0;
	#sampleNumber = 0;

	/** Begins a sample. */
	start(sample: Sample): void {
		this.#count = sample === this.#sample && sample.frameCount < (2 * this.#framesInUse) + maxExtraFrames
			? sample.count
			: 0;
		this.#sample = sample;
		this.#sampleNumber++;
		if (this.#count > 0) {
			sample.restart();
		} else {
			sample.clear();
		}
	}

	/**
	Decides whether a row is used again, and appends it if so; returns false if it must be filled. It is used again if
	nothing that it shows has changed, and it has the same index as in the previous sample. It then shows no CPU time
	and no holder of a lock: these are set in each sample.
	*/
	reuse(source: RowSource): boolean {
		const sample = this.#sample!;
		const {row} = source;
		const isNext = row.index === sample.count && row.index < this.#count
			&& row.sampleNumber === this.#sampleNumber - 1;
		if (!isNext || source.changedSince(row.filledAt)) {
			return false;
		}

		row.sampleNumber = this.#sampleNumber;
		sample.keepThread();
		sample.lockOwner[row.index] = -1;
		return true;
	}

	/** Call when a row has been filled. `isReusable`: it may be used again; otherwise the next sample fills it. */
	setFilled({row}: RowSource, index: number, isReusable = true): void {
		row.index = index;
		row.sampleNumber = this.#sampleNumber;
		row.filledAt = isReusable ? currentMoment() : -1;
	}

	/** Ends a sample. */
	end(): void {
		const {count, stackLength} = this.#sample!;
		let frames = 0;
		for (let row = 0; row < count; row++) {
			frames += stackLength[row];
		}

		this.#framesInUse = frames;
	}

	/** Empties a failed sample; none of its rows will be used again. */
	forget(sample: Sample): void {
		sample.clear();
		this.#sample = undefined;
	}
}
