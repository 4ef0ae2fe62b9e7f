import {fromNames} from '../model/column-types.js';
import {ownFigureNames, type OwnFigures} from './table-layout.js';

/** Number of samples that one sample counts as (above 1 during the back-off), and the ticks of all of them. */
export type Counts = {readonly samples: number; readonly ticks: number};

/** The table's own figures. The newest sample is added to them each time that it counts. */
export class SampleFigures {
	readonly sums: OwnFigures = fromNames(ownFigureNames, () => 0);
	#threadSamples = 0;
	#incompleteStacks = 0;
	#otherTicks = 0;

	/** Begins a sample taken at `atMs` (epoch). */
	begin(atMs: number): void {
		this.#threadSamples = 0;
		this.#incompleteStacks = 0;
		this.#otherTicks = 0;
		this.sums.lastSampleAtMs = atMs;
	}

	/** Adds a row of this many threads to the sample. `isOther`: it counts under "(other)". */
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

/** Counts threads that moved from frame to frame since their previous sample: see `sessionFigures.moves`. */
export class Moves {
	/**
	By frame: threads that arrived in this sample minus threads that left, so that moves in opposite directions cancel.
	*/
	readonly #netArrivals = new Map<number, number>();
	#moves = 0;

	/** Counts a thread that was at frame `from` in the previous sample and is at `to` in this one. */
	add(from: number, to: number): void {
		if (from !== to) {
			this.#moves++;
			this.#netArrivals.set(from, (this.#netArrivals.get(from) ?? 0) - 1);
			this.#netArrivals.set(to, (this.#netArrivals.get(to) ?? 0) + 1);
		}
	}

	/** Ends a sample: adds its moves to the figures. */
	end(figures: OwnFigures): void {
		let squares = 0;
		for (const threads of this.#netArrivals.values()) {
			squares += threads ** 2;
		}

		figures.moves += this.#moves;
		// Each move is counted at two frames.
		figures.movesTogether += squares / 2;
		this.#netArrivals.clear();
		this.#moves = 0;
	}
}
