import {fromNames} from '../model/column-types.js';
import {
	figureNames, ownFigureNames, samplerFigureNames, type OwnFigures, type SamplerFigures,
} from './layout.js';

/** Where each figure lies: those that come with a sample, and the table's own. */
const samplerFigureAt = samplerFigureNames.map(name => ({name, at: figureNames.indexOf(name)}));
const ownFigureAt = ownFigureNames.map(name => ({name, at: figureNames.indexOf(name)}));

/** Writes all figures to where they lie in the table. */
export function writeFigures(to: Float64Array, sampler: SamplerFigures, own: OwnFigures): void {
	for (const {name, at} of samplerFigureAt) {
		to[at] = sampler[name];
	}

	for (const {name, at} of ownFigureAt) {
		to[at] = own[name];
	}
}

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

	/** A thread of it counts. */
	add(isIncomplete: boolean, isOther: boolean): void {
		this.#threadSamples++;
		this.#incompleteStacks += isIncomplete ? 1 : 0;
		this.#otherTicks += isOther ? 1 : 0;
	}

	/** Counts the newest sample so many times (more). */
	count(times: number): void {
		this.sums.samples += times;
		this.sums.threadSamples += this.#threadSamples * times;
		this.sums.incompleteStacks += this.#incompleteStacks * times;
		this.sums.otherTicks += this.#otherTicks * times;
	}
}
