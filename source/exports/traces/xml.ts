import type {TraceReport, WholeTrace} from '../../model/traces/report.js';
import {overloadedNames, titleOf} from '../../query/traces/methods.js';
import type {TraceFormat} from './trace-format.js';

const nsPerMs = 1_000_000n;

/**
The slowest traces with every action: `time,ACTION,method` each, joined by `|`. Times are milliseconds since the epoch
with six decimals. What separates, and what XML cannot hold, is written %XX as in a URL where a name has it.
*/
export const xmlTraces: TraceFormat = {
	id: 'xml',
	description: 'the slowest traces with every action',
	write(_, report, {top}) {
		const traces = report.slowest.slice(0, top).map(trace => traceText(trace, report));
		return `<?xml version="1.0" encoding="UTF-8"?>\n<trace-file>\n${traces.join('')}</trace-file>\n`;
	},
};

function traceText({key, thread, startedAtMs, actions}: WholeTrace, {methods}: TraceReport): string {
	const overloaded = overloadedNames(methods);
	const names = methods.map(method => separable(titleOf({...method, isOverloaded: overloaded.has(`${method.className}.${method.method}`)})));
	const lines = actions.map(({kind, method, atNs}) => `${timeText(startedAtMs, atNs)},${kind},${names[method]}`);
	return `\t<trace key="${escaped(key)}" thread="${escaped(thread)}">${escaped(lines.join('|\n'))}</trace>\n`;
}

function timeText(startedAtMs: number, atNs: number): string {
	const ns = (BigInt(Math.round(startedAtMs)) * nsPerMs) + BigInt(Math.round(atNs));
	return `${ns / nsPerMs}.${String(ns % nsPerMs).padStart(6, '0')}`;
}

/** A name in which nothing separates actions or their parts. */
function separable(name: string): string {
	return name.replaceAll(/[%,|\s]/gu, character => [...new TextEncoder().encode(character)].map(byte => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''));
}

/** Text is printable, so it has no character that XML cannot hold, but for those with a meaning in it. */
function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
