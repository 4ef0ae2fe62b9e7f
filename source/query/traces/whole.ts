import type {WholeTrace} from '../../model/trace-report.js';

/** A call of a whole trace. Times in nanoseconds. */
type TracedCall = {
	readonly method: number;
	/** Calls of the trace that it was made in. */
	readonly depth: number;
	/** Since the trace's start. */
	readonly atNs: number;
	readonly cumulativeNs: number;
	/** Not in calls of the trace that it made. */
	readonly ownNs: number;
	readonly isException: boolean;
};

/** The calls of a trace in the order in which they began; those of which the end was left out end with the trace. */
export function callsOf({actions, durationNs}: WholeTrace): TracedCall[] {
	const calls: Array<{-readonly [Name in keyof TracedCall]: TracedCall[Name]}> = [];
	const open: number[] = [];
	const end = (atNs: number, isException: boolean) => {
		const index = open.pop();
		if (index !== undefined) {
			const call = calls[index];
			const inNs = atNs - call.atNs;
			call.cumulativeNs = inNs;
			call.ownNs += inNs;
			call.isException = isException;
			const around = open.at(-1);
			if (around !== undefined) {
				calls[around].ownNs -= inNs;
			}
		}
	};

	for (const {kind, method, atNs} of actions) {
		if (kind === 'START') {
			open.push(calls.push({
				method, depth: open.length, atNs, cumulativeNs: 0, ownNs: 0, isException: false,
			}) - 1);
		} else {
			end(atNs, kind === 'EXCEPTION');
		}
	}

	while (open.length > 0) {
		end(durationNs, false);
	}

	return calls;
}
