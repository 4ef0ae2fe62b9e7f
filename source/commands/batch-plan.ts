import {UserError} from '../runtime/errors.js';
import {formats, type ExportFormat} from '../exports/formats/registry.js';

/** Seconds of one batch report by default. */
const defaultDelayS = 5;

/** When reports are printed: `count` of them, each `windowMs` after the one before. */
export type BatchPlan = {readonly count: number; readonly windowMs: number};

/**
The reports that -n, -d and --duration ask for. Any two of them give the third; with --duration alone it is one report
of all of it. Throws UserError (2) when all three are given and disagree.
*/
export function planBatch({iterations, delayS, durationS}: {iterations?: number; delayS?: number; durationS?: number}): BatchPlan {
	if (durationS === undefined) {
		return {count: iterations ?? 1, windowMs: (delayS ?? defaultDelayS) * 1000};
	}

	if (delayS === undefined) {
		return {count: iterations ?? 1, windowMs: durationS * 1000 / (iterations ?? 1)};
	}

	if (iterations !== undefined && Math.abs((iterations * delayS) - durationS) > 0.001) {
		throw new UserError(`--iterations ${iterations} of --delay ${delayS} s do not add up to --duration ${durationS} s`, {hint: 'give two of the three options', exitCode: 2});
	}

	return {count: Math.max(1, Math.floor((durationS / delayS) + 1e-9)), windowMs: Math.min(delayS, durationS) * 1000};
}

/**
Whether the reports can be written so. Throws UserError (2) for several reports in a format whose reports cannot stand
one after the other, for a view in a format that has none, and for bytes on a terminal.
*/
export function checkFormat({id, streaming, binary, ofViews}: ExportFormat, {plan: {count}, isToTerminal, hasView}: {readonly plan: BatchPlan; readonly isToTerminal: boolean; readonly hasView: boolean}): void {
	if (hasView && !ofViews) {
		const others = formats.filter(format => format.ofViews).map(format => format.id).join(', ');
		throw new UserError(`--format ${id} has no views`, {hint: `drop --view, or use one of ${others}`, exitCode: 2});
	}

	if (!streaming && count > 1) {
		const others = formats.filter(format => format.streaming).map(format => format.id).join(', ');
		throw new UserError(`--format ${id} writes a single report, but these options ask for ${count}`, {hint: `drop --iterations and --delay, or use one of ${others}`, exitCode: 2});
	}

	if (binary && isToTerminal) {
		throw new UserError(`--format ${id} is binary and cannot be shown on a terminal`, {hint: 'add --output FILE, or redirect it to a file or a pipe', exitCode: 2});
	}
}
