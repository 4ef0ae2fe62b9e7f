import {UserError} from './errors.js';

/** Seconds of one batch report when nothing else is said. */
const defaultDelayS = 5;

/** When reports are printed: `count` of them, each `windowMs` after the one before. */
export type BatchPlan = {readonly count: number; readonly windowMs: number};

/**
The reports that -n, -d and --duration ask for. Any two of them give the third; with --duration alone it is one report of all of it.
Throws UserError (2) when all three are given and disagree.
*/
export function planBatch({iterations, delayS, durationS}: {iterations?: number; delayS?: number; durationS?: number}): BatchPlan {
	if (durationS === undefined) {
		return {count: iterations ?? 1, windowMs: (delayS ?? defaultDelayS) * 1000};
	}

	if (delayS === undefined) {
		return {count: iterations ?? 1, windowMs: durationS * 1000 / (iterations ?? 1)};
	}

	if (iterations !== undefined && Math.abs((iterations * delayS) - durationS) > 0.001) {
		throw new UserError(`--iterations ${iterations} of --delay ${delayS} s are not --duration ${durationS} s`, {hint: 'give two of the three', exitCode: 2});
	}

	return {count: Math.max(1, Math.floor((durationS / delayS) + 1e-9)), windowMs: Math.min(delayS, durationS) * 1000};
}
