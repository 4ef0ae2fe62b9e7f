import {fromNames} from '../model/column-types.js';
import {ownFigureNames, type OwnFigures} from './layout.js';

/** As how many samples one counts (more than one in a rest), and the ticks of them all: the time that they stand for. */
export type Counts = {readonly samples: number; readonly ticks: number};

/** The table's own figures, and what the newest sample adds to them each time that it counts. */
export class SampleFigures {
	readonly sums: OwnFigures = fromNames(ownFigureNames, () => 0);
	#threadSamples = 0;
	#incompleteStacks = 0;
	#otherTicks = 0;

	/** Begins a sample. */
	begin(atMs: number): void {
		this.#threadSamples = 0;
		this.#incompleteStacks = 0;
		this.#otherTicks = 0;
		this.sums.lastSampleAtMs = atMs;
	}

	/** So many threads of it count, of a row. */
	add(threads: number, isIncomplete: boolean, isOther: boolean): void {
		this.#threadSamples += threads;
		this.#incompleteStacks += isIncomplete ? threads : 0;
		this.#otherTicks += isOther ? threads : 0;
	}

	/** Counts the newest sample as so many (more), of so many ticks. */
	count({samples, ticks}: Counts): void {
		this.sums.samples += samples;
		this.sums.sampleTicks += ticks;
		this.sums.threadSamples += this.#threadSamples * ticks;
		this.sums.incompleteStacks += this.#incompleteStacks * samples;
		this.sums.otherTicks += this.#otherTicks * ticks;
	}
}

/** Counts how threads move from frame to frame in a sample, and how many do so together: see `sessionFigures.moves`. */
export class Moves {
	/** By frame: threads that came in this sample, less those that left. */
	readonly #flow = new Map<number, number>();
	#moves = 0;

	/** A thread was at frame `from` in the sample before, and is at `to` in this one. */
	add(from: number, to: number): void {
		if (from !== to) {
			this.#moves++;
			this.#flow.set(from, (this.#flow.get(from) ?? 0) - 1);
			this.#flow.set(to, (this.#flow.get(to) ?? 0) + 1);
		}
	}

	/** Ends a sample: adds what was counted to the figures. */
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
