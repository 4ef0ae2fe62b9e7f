import type {TraceReport} from '../../model/traces/report.js';
import {parseReport} from '../../model/traces/report-bytes.js';
import {writeReport} from '../../model/traces/report-writer.js';

/** How the comment with traced methods begins in a pprof file: tools print none that starts with `#`. */
export const tracesCommentPrefix = '#tprof-top-traces ';

/** More than a report of as many ways of calls as the agent follows, in base64. */
const mostCharacters = 2 ** 24;

/** Traced methods, their tree and the slowest traces as one line; undefined where that is too long to be read again. */
export function encodeTraces(report: TraceReport): string | undefined {
	const text = tracesCommentPrefix + Buffer.from(writeReport(report)).toString('base64');
	return text.length <= mostCharacters ? text : undefined;
}

/** What `encodeTraces` wrote. Throws RangeError for anything else. */
export function decodeTraces(text: string): TraceReport {
	if (text.length > mostCharacters) {
		throw new RangeError('too many traces');
	}

	return parseReport(Buffer.from(text.slice(tracesCommentPrefix.length), 'base64'));
}
