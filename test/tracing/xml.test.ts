import fc from 'fast-check';
import {SaxesParser} from 'saxes';
import {expect, test} from 'vitest';
import {xmlTraces} from '../../source/exports/traces/xml.js';
import {printable} from '../../source/model/text.js';
import type {TraceReport} from '../../source/model/traces/report.js';
import {report} from '../helpers/trace-report.js';

const target = {
	pid: 7, mainClass: 'Main', command: 'Main', jvmVersion: '17', vm: 'VM', user: 'me', startedAtMs: 0,
};

type ReadTrace = {readonly key: string; readonly thread: string; readonly actions: ReadonlyArray<readonly string[]>};

/** What a parser that knows nothing of us finds in the document; it throws for what is not well-formed. */
function read(document: string): ReadTrace[] {
	const traces: ReadTrace[] = [];
	const path: string[] = [];
	let text = '';
	let attributes: Readonly<Record<string, string>> = {};
	const parser = new SaxesParser();
	parser.on('opentag', tag => {
		path.push(tag.name);
		text = '';
		attributes = tag.attributes;
	});
	parser.on('text', part => {
		text += part;
	});
	parser.on('closetag', () => {
		if (path.join('/') === 'trace-file/trace') {
			const {key, thread} = attributes;
			traces.push({key, thread, actions: text.split('|\n').map(action => action.split(',').map((part, index) => index === 2 ? decodeURIComponent(part) : part))});
		}

		path.pop();
	});
	parser.write(document).close();
	return traces;
}

/** A trace in which a class `className` calls a method `method`, by a thread. */
function reportOf(className: string, method: string, thread: string): TraceReport {
	return {...report, methods: [{className: 'a.B', method: 'outer', parameters: ''}, {className, method, parameters: 'int'}], slowest: [{...report.slowest[0], thread}]};
}

test('a parser that is not ours finds keys, threads, times, actions and names in the XML, however hostile they are', () => {
	const anything = fc.string({unit: fc.oneof(fc.constantFrom('<', '>', '&', '"', '\'', ']]>', '|', ',', '%', ' ', '&lt;', '%2C', '\n', '\u0000', '\uFFFE', 'é', '😀'), fc.string({minLength: 1, maxLength: 1}))});
	fc.assert(fc.property(anything, anything, anything, (className, method, thread) => {
		const names = {className: printable(className), method: printable(method), thread: printable(thread)};
		const [trace] = read(String(xmlTraces.write(target, reportOf(names.className, names.method, names.thread), {version: '1', notes: []})));
		const inner = `${names.className}.${names.method}`;
		expect(trace).toEqual({
			key: '1000-1', thread: names.thread,
			actions: [['1000.000000', 'START', 'a.B.outer'], ['1000.500000', 'START', inner], ['1000.700000', 'END', inner], ['1002.000000', 'EXCEPTION', 'a.B.outer']],
		});
	}));
});
