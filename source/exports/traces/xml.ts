import type {TraceReport, WholeTrace} from '../../model/trace-report.js';
import {overloadedNames, titleOf} from '../../views/traces/traced-methods.js';
import {escapedMarkup, type ReportFormat} from '../common/export-format.js';

/** The slowest traces: actions as `epoch ms,ACTION,method`, joined by `|`. Schema: docs/traces.xsd. */
export const xmlTraces: ReportFormat<TraceReport> = {
	description: 'the slowest traces with every action',
	write(_, report, {top}) {
		const traces = report.slowest.slice(0, top).map(trace => traceText(trace, report));
		return `<?xml version="1.0" encoding="UTF-8"?>\n<trace-file>\n${traces.join('')}</trace-file>\n`;
	},
};

function traceText({key, thread, startedAtMs, actions}: WholeTrace, {methods}: TraceReport): string {
	const overloaded = overloadedNames(methods);
	const names = methods.map(method =>
		percentEncoded(titleOf({...method, isOverloaded: overloaded.has(`${method.className}.${method.method}`)})));
	const lines = actions.map(({kind, method, atNs}) =>
		`${Math.floor(startedAtMs + (atNs / 1e6))},${kind},${names[method]}`);
	return `\t<trace key="${escapedMarkup(key)}" thread="${escapedMarkup(thread)}">${escapedMarkup(lines.join('|\n'))}</trace>\n`;
}

/** Percent-encodes the characters in a name that separate actions or their parts. */
function percentEncoded(name: string): string {
	return name.replaceAll(
		/[%,|\s]/gu,
		character =>
			[...new TextEncoder().encode(character)].map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
				.join(''),
	);
}
