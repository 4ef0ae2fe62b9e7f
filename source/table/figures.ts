import {fromNames} from '../model/column-types.js';
import {ownFigureNames, type OwnFigures} from './layout.js';

/** The number of samples that one sample counts as (above 1 during the idle back-off), and the sum of their ticks. */
export type Counts = {readonly samples: number; readonly ticks: number};

/** The table's own figures, and what the newest sample adds to them each time it counts. */
export class SampleFigures {
	readonly sums: OwnFigures = fromNames(ownFigureNames, () => 0);
	#threadSamples = 0;
	#incompleteStacks = 0;
	#otherTicks = 0;

	begin(atMs: number): void {
		this.#threadSamples = 0;
		this.#incompleteStacks = 0;
		this.#otherTicks = 0;
		this.sums.lastSampleAtMs = atMs;
	}

	/** Adds a row of this many threads to the sample. */
	addRow(threads: number, isIncomplete: boolean, isOther: boolean): void {
		this.#threadSamples += threads;
		this.#incompleteStacks += isIncomplete ? threads : 0;
		this.#otherTicks += isOther ? threads : 0;
	}

	/** Counts the newest sample, again if it was counted before. */
	count({samples, ticks}: Counts): void {
		this.sums.samples += samples;
		this.sums.sampleTicks += ticks;
		this.sums.threadSamples += this.#threadSamples * ticks;
		this.sums.incompleteStacks += this.#incompleteStacks * samples;
		this.sums.otherTicks += this.#otherTicks * ticks;
	}
}

/** Counts the moves of threads from frame to frame in a sample, and those made together: see `sessionFigures.moves`. */
export class Moves {
	/** By frame: threads that arrived in this sample minus threads that left. */
	readonly #flow = new Map<number, number>();
	#moves = 0;

	/** Counts a thread that was at frame `from` in the previous sample and is at `to` in this one. */
	add(from: number, to: number): void {
		if (from !== to) {
			this.#moves++;
			this.#flow.set(from, (this.#flow.get(from) ?? 0) - 1);
			this.#flow.set(to, (this.#flow.get(to) ?? 0) + 1);
		}
	}

	/** Ends a sample: adds its moves to the figures. */
	end(figures: OwnFigures): void {
		let squares = 0;
		for (const flow of this.#flow.values()) {
			squares += flow ** 2;
		}

		figures.moves += this.#moves;
		// A move changes two frames.
		figures.movesTogether += squares / 2;
		this.#flow.clear();
		this.#moves = 0;
	}
}
