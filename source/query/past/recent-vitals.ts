import type {TargetVitals} from '../../model/snapshot.js';
import {printable, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import type {Ring, RingWindow} from './past-ring.js';
import {stepsUpTo, trendOf, type Trend} from './steps.js';
import {readBody} from './window-body.js';

/** The target's figures in each step of a minute, oldest first; a step without any is empty. */
export type VitalsSteps = ReadonlyArray<readonly TargetVitals[]>;

/** Reads the target's figures of the last minute from the ring. Keeps those of that minute alone. */
export class RecentVitals {
	#known = new Map<RingWindow, TargetVitals>();
	#asked: readonly [ring: Ring | undefined, last: number] = [undefined, -1];
	#steps: VitalsSteps = [];

	/** Returns the figures of the minute up to window `last`, in steps of a trend; none without windows. */
	upTo(ring: Ring, last: number): VitalsSteps {
		const [askedRing, askedLast] = this.#asked;
		if (ring === askedRing && last === askedLast) {
			return this.#steps;
		}

		this.#asked = [ring, last];
		const before = this.#known;
		this.#known = new Map();
		const steps = last < 0 ? [] : stepsUpTo(ring, last);
		this.#steps = steps.map(step => {
			const windows = step ? ring.windows.slice(step.from + 1, step.to + 1) : [];
			return windows.map(window => {
				const vitals = before.get(window) ?? vitalsOf(window);
				this.#known.set(window, vitals);
				return vitals;
			});
		});
		return this.#steps;
	}
}

/** Returns the figures and texts in a window, as a recording may hold anything; none if it is malformed there. */
function vitalsOf(window: RingWindow): TargetVitals {
	try {
		const known: Record<string, number | Printable> = {};
		for (const [name, value] of Object.entries<unknown>(readBody(window.body()).vitals)) {
			if (typeof value === 'number') {
				known[name] = value;
			} else if (typeof value === 'string') {
				known[name] = printable(value);
			}
		}

		return known;
	} catch {
		return {};
	}
}

/** A figure that is known has at least this fraction of the full height, so that it is drawn. */
const leastFraction = 1e-9;

/**
Returns the trend of a figure's means, above 0 wherever the figure is known; `leastFull`: see `trendOf`. Undefined if
the figure is in no step.
*/
export function vitalsTrend(
	steps: VitalsSteps,
	figure: (vitals: TargetVitals) => number | undefined,
	leastFull: number,
): Trend | undefined {
	return trendOf(steps.map(step => {
		const values = step.map(vitals => figure(vitals)).filter(value => value !== undefined);
		return values.length > 0
			? Math.max(leastFull * leastFraction, sumOf(values, value => value) / values.length)
			: undefined;
	}), leastFull);
}
