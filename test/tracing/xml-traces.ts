import fc from 'fast-check';
import {xmlTraces} from '../../source/exports/traces/xml.js';
import {printable} from '../../source/model/text.js';
import type {TraceReport} from '../../source/model/trace-report.js';
import {report} from '../helpers/trace-report.js';

const target = {
	pid: 7, mainClass: 'Main', command: 'Main', jvmVersion: '17', vm: 'VM', user: 'me', startedAtMs: 0,
};

/** A trace in which a class `className` calls a method `method`, by a thread. */
export function reportOf(className: string, method: string, thread: string): TraceReport {
	return {...report, methods: [{className: 'a.B', method: 'outer', parameters: ''}, {className, method, parameters: 'int'}], slowest: [{...report.slowest[0], thread}]};
}

const anything = fc.string({unit: fc.oneof(fc.constantFrom('<', '>', '&', '"', '\'', ']]>', '|', ',', '%', ' ', '&lt;', '%2C', '\n', '\u0000', '\uFFFE', 'é', '😀'), fc.string({minLength: 1, maxLength: 1}))});
/** Names with all that XML and its actions are separated by. */
export const hostileNames = fc.record({className: anything, method: anything, thread: anything}).map(names => ({className: printable(names.className), method: printable(names.method), thread: printable(names.thread)}));

export function write(of: TraceReport): string {
	return String(xmlTraces.write(target, of, {version: '1', notes: []}));
}
