/** The lowest and the highest reading of a short time, and when the last of them was. */
type Slot = {readonly ms: number; readonly low: number; readonly high: number};

/**
Over which time growth is found, `minMs` at the least, and the parts of it in each of which the number grows. It still
does if it has within `recentMs`.
*/
type Window = {readonly windowMs: number; readonly parts: number; readonly minMs: number; readonly recentMs: number};

export const overMinute: Window = {windowMs: 60_000, parts: 4, minMs: 15_000, recentMs: 10_000};
export const overMinutes: Window = {windowMs: 600_000, parts: 8, minMs: 180_000, recentMs: 60_000};

/** A window has this number of slots, the readings of which are kept as one. */
const slotCount = 60;

/** If the number grows in a part of the window by less than this part of the mean, it does not grow steadily. */
const leastPart = 0.25;

/** The part of the recent readings that are compared with the others, and at least this number of slots. */
const newestPart = 0.3;
const leastRecent = 5;
const leastNewest = 2;

/** By how much a minute a number grows: what rises and falls again, as garbage does, is no growth. */
export class Growth {
	readonly #window: Window;
	readonly #slots: Slot[] = [];

	constructor(window = overMinute) {
		this.#window = window;
	}

	/** Adds a reading, and returns `perMin`. */
	with(ms: number, count: number): number | undefined {
		const {windowMs} = this.#window;
		const slots = this.#slots;
		while (slots.length > 0 && ms - slots[0].ms >= windowMs) {
			slots.shift();
		}

		const slotOf = (time: number) => Math.floor(time / windowMs * slotCount);
		const last = slots.at(-1);
		if (last && slotOf(last.ms) === slotOf(ms)) {
			slots[slots.length - 1] = {ms, low: Math.min(last.low, count), high: Math.max(last.high, count)};
		} else {
			slots.push({ms, low: count, high: count});
		}

		return this.perMin();
	}

	/**
	Returns the growth by the readings so far, above 0 if the number rises and below if it falls; 0 if it does neither
	(`risePerMs`). Undefined while there are too few readings.
	*/
	perMin(): number | undefined {
		const slots = this.#slots;
		const {parts, minMs} = this.#window;
		return slots.length < parts || slots.at(-1)!.ms - slots[0].ms < minMs
			? undefined
			: 60_000 * (risePerMs(slots, this.#window, 1) || -risePerMs(slots, this.#window, -1)) || 0;
	}

	/** Returns the highest of the readings up to a time; undefined if there is none. */
	highestUntil(ms: number): number | undefined {
		const before = this.#slots.filter(slot => slot.ms <= ms);
		return before.length === 0 ? undefined : Math.max(...before.map(({high}) => high));
	}
}

/** 1: what rises is looked for; -1: what falls, which rises with the opposite sign. */
type Sign = 1 | -1;

/**
Returns by how much a number rises in a millisecond. It does if the lowest reading of each part of the window is above
that of the part before, by about the same in all parts, the number never fell by more than it rose in all, and its
newest readings rise too; else 0. What rises ever more slowly, as the newest readings say, rises at their pace.
*/
function risePerMs(slots: readonly Slot[], {parts, recentMs}: Window, sign: Sign): number {
	const start = (part: number) => Math.round(part * slots.length / parts);
	const lowest = Array.from({length: parts}, (_, part) => lowestOf(slots, start(part), start(part + 1), sign));
	const [first, last] = [lowest[0], lowest.at(-1)!];
	const rise = last.low - first.low;
	const leastStep = leastPart * rise / (parts - 1);
	const isSteady = lowest.every(({low}, index) => index === 0 || low - lowest[index - 1].low >= leastStep);
	if (rise <= 0 || !isSteady || largestFall(slots, sign) > rise) {
		return 0;
	}

	const perMs = rise / (last.ms - first.ms);
	const newestPerMs = newestRisePerMs(slots, recentMs, sign);
	return newestPerMs < leastPart * perMs ? 0 : Math.min(perMs, newestPerMs);
}

/** Returns by how much a millisecond the highest of the newest readings is above the lowest of those shortly before. */
function newestRisePerMs(slots: readonly Slot[], recentMs: number, sign: Sign): number {
	const from = (withinMs: number, least: number) => {
		const index = slots.findIndex(({ms}) => ms > slots.at(-1)!.ms - withinMs);
		return Math.max(0, Math.min(index, slots.length - least));
	};

	const newestFrom = from(newestPart * recentMs, leastNewest);
	const newest = lowestOf(slots, newestFrom, slots.length, sign === 1 ? -1 : 1);
	const before = lowestOf(slots, from(recentMs, leastRecent), newestFrom, sign);
	return (-newest.low - before.low) / (newest.ms - before.ms);
}

/** Returns the lowest reading of some slots with its time; with the opposite sign, the highest. */
function lowestOf(
	slots: readonly Slot[],
	from: number,
	to: number,
	sign: Sign,
): {readonly ms: number; readonly low: number} {
	let lowest = {ms: slots[from].ms, low: lowOf(slots[from], sign)};
	for (let index = from + 1; index < to; index++) {
		const low = lowOf(slots[index], sign);
		lowest = low < lowest.low ? {ms: slots[index].ms, low} : lowest;
	}

	return lowest;
}

function lowOf({low, high}: Slot, sign: Sign): number {
	return sign === 1 ? low : -high;
}

/** Returns by how much a number fell at most from one time to a later one. */
function largestFall(slots: readonly Slot[], sign: Sign): number {
	let highest = -Infinity;
	let fall = 0;
	for (const {low, high} of slots) {
		fall = Math.max(fall, highest - (sign === 1 ? low : -high));
		highest = Math.max(highest, sign === 1 ? high : -low);
	}

	return fall;
}
