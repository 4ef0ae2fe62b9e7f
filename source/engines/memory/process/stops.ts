/** What a round of stops did. */
export type Stops = {
	/** Threads looked at while stopped. */
	count: number;
	/**
	Time that threads were held, milliseconds: sum and longest; upper bounds, from the last time a thread was seen
	running. Those that stopped late are in it too, with the round that comes after.
	*/
	heldMs: number;
	longestMs: number;
	/**
	Threads that another tracer holds or that we may not trace; all while another tracer is there, and who that is where
	it can be known.
	*/
	refused: number;
	tracer?: string;
	/** Threads that did not stop in time, in this round or since an earlier one; they are let go as soon as they do. */
	late: number;
};

export const noStops: Stops = {
	count: 0, heldMs: 0, longestMs: 0, refused: 0, late: 0,
};

/** What two rounds did together. */
export function sumOfStops(a: Stops, b: Stops): Stops {
	return {
		count: a.count + b.count, heldMs: a.heldMs + b.heldMs, longestMs: Math.max(a.longestMs, b.longestMs), refused: a.refused + b.refused, late: a.late + b.late, tracer: b.tracer ?? a.tracer,
	};
}

/**
What counts against the budget: the mean time for which the threads that execute Java code were held. Summed up over a
second it is the share of its running time that such a thread loses, which is the share of its work that the target
loses. Those that did not stop in time are held later, and in the sum of a later sample.
*/
export function stoppedMs({count, late, heldMs}: Stops): number {
	return heldMs / Math.max(1, count + late);
}
