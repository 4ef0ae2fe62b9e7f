/** Result of a round of stops. */
export type Stops = {
	/** Threads stopped. */
	count: number;
	/**
	Time that threads were held, milliseconds: sum and longest; upper bounds, from when a thread was last seen running.
	Threads that stopped late count in the next round.
	*/
	heldMs: number;
	longestMs: number;
	/**
	Threads that another tracer holds or that we may not trace, all of them while another tracer is attached; and that
	tracer if known.
	*/
	refused: number;
	tracer?: string;
	/**
	Threads that have not stopped in time, in this round or since an earlier one; they are detached as soon as they do.
	*/
	late: number;
};

export const noStops: Stops = {
	count: 0, heldMs: 0, longestMs: 0, refused: 0, late: 0,
};

export function sumOfStops(a: Stops, b: Stops): Stops {
	return {
		count: a.count + b.count, heldMs: a.heldMs + b.heldMs, longestMs: Math.max(a.longestMs, b.longestMs), refused: a.refused + b.refused, late: a.late + b.late, tracer: b.tracer ?? a.tracer,
	};
}

/**
Time that counts against the budget: the mean for which threads in Java code were held. Per second, it is the share of
its running time that such a thread loses. Late threads count in a later sample.
*/
export function stoppedMs({count, late, heldMs}: Stops): number {
	return heldMs / Math.max(1, count + late);
}
