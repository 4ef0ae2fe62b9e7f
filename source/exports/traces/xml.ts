import type {TraceReport, WholeTrace} from '../../model/trace-report.js';
import {overloadedNames, titleOf} from '../../views/traces/methods.js';
import type {ReportFormat} from '../common/export-format.js';

/** The slowest traces: `time,ACTION,method` each, joined by `|`; milliseconds since the epoch. The schema: docs/traces.xsd. */
export const xmlTraces: ReportFormat<TraceReport> = {
	description: 'the slowest traces with every action',
	write(_, report, {top}) {
		const traces = report.slowest.slice(0, top).map(trace => traceText(trace, report));
		return `<?xml version="1.0" encoding="UTF-8"?>\n<trace-file>\n${traces.join('')}</trace-file>\n`;
	},
};

function traceText({key, thread, startedAtMs, actions}: WholeTrace, {methods}: TraceReport): string {
	const overloaded = overloadedNames(methods);
	const names = methods.map(method => separable(titleOf({...method, isOverloaded: overloaded.has(`${method.className}.${method.method}`)})));
	const lines = actions.map(({kind, method, atNs}) => `${Math.floor(startedAtMs + (atNs / 1e6))},${kind},${names[method]}`);
	return `\t<trace key="${escaped(key)}" thread="${escaped(thread)}">${escaped(lines.join('|\n'))}</trace>\n`;
}

/** A name in which nothing separates actions or their parts. */
function separable(name: string): string {
	return name.replaceAll(/[%,|\s]/gu, character => [...new TextEncoder().encode(character)].map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''));
}

/** Text is printable, so it has no character that XML cannot hold, but for those with a meaning in it. */
function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
