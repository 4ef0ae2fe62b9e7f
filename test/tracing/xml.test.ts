import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import {SaxesParser} from 'saxes';
import {expect, test} from 'vitest';
import {xmlTraces} from '../../source/exports/traces/xml.js';
import {printable, safe, type Printable} from '../../source/util/printable.js';
import type {TraceReport} from '../../source/model/trace-report.js';
import {folderForTest} from '../helpers/for-test.js';
import {compileProgram, jdk, noTarget} from '../helpers/jvm.js';
import {report} from '../helpers/reports.js';

/** A trace in which a class `className` calls a method `method`, by a thread. */
function reportOf(className: Printable, method: Printable, thread: Printable): TraceReport {
	return {
		...report,
		methods: [{className: safe`a.B`, method: safe`outer`, parameters: safe``}, {className, method, parameters: safe`int`}],
		slowest: [{...report.slowest[0], thread}],
	};
}

const anything = fc.string({
	unit: fc.oneof(
		fc.constantFrom(
			'<',
			'>',
			'&',
			'"',
			'\'',
			']]>',
			'|',
			',',
			'%',
			' ',
			'&lt;',
			'%2C',
			'\n',
			'\u0000',
			'\uFFFE',
			'é',
			'😀',
		),
		fc.string({minLength: 1, maxLength: 1}),
	),
});
/** Names with all that XML and its actions are separated by. */
const hostileNames = fc.record({className: anything, method: anything, thread: anything}).map(names => ({
	className: printable(names.className),
	method: printable(names.method),
	thread: printable(names.thread),
}));

function write(of: TraceReport): string {
	return String(xmlTraces.write(noTarget.facts, of, {version: '1', notes: []}));
}

/** What a parser that knows nothing of us finds in the document; it throws for what is not well-formed. */
function read(document: string) {
	const traces: Array<{readonly key: string; readonly thread: string; readonly actions: readonly string[][]}> = [];
	let text = '';
	const parser = new SaxesParser();
	parser.on('opentag', () => {
		text = '';
	});
	parser.on('text', part => {
		text += part;
	});
	parser.on('closetag', ({name, attributes: {key, thread}}) => {
		if (name === 'trace') {
			traces.push({
				key,
				thread,
				actions: text.split('|\n').map(action =>
					action.split(',').map((part, index) => index === 2 ? decodeURIComponent(part) : part)),
			});
		}
	});
	parser.write(document).close();
	return traces;
}

test('a parser that is not ours finds keys, threads, times, actions and names in the XML, however hostile they are', () => {
	fc.assert(fc.property(hostileNames, ({className, method, thread}) => {
		const [trace] = read(write(reportOf(className, method, thread)));
		const inner = `${className}.${method}`;
		expect(trace).toEqual({
			key: '1000-1',
			thread,
			actions: [
				['1000', 'START', 'a.B.outer'],
				['1000', 'START', inner],
				['1000', 'END', inner],
				['1002', 'EXCEPTION', 'a.B.outer'],
			],
		});
	}));
});

/** What a JDK's validator says of each document by docs/traces.xsd. */
function validated(documents: readonly string[]): string[] {
	const folder = folderForTest();
	const files = documents.map((document, index) => {
		const file = path.join(folder, `${index}.xml`);
		writeFileSync(file, document);
		return file;
	});
	const schema = path.resolve(import.meta.dirname, '../../docs/traces.xsd');
	return execFileSync(path.join(jdk().home, 'bin/java'), [
		'-cp',
		compileProgram('ValidatesXml', jdk()),
		'ValidatesXml',
		schema,
		...files,
	], {encoding: 'utf8'}).trimEnd().split('\n');
}

test('the schema accepts what is written, and nothing else', () => {
	const reports = [
		report,
		{...report, slowest: []},
		...fc.sample(hostileNames, 100).map(({className, method, thread}) => reportOf(className, method, thread)),
	];
	const document = write(report);
	const others = [
		document.replace('1000,START', '1000.000000,START'),
		document.replace(',EXCEPTION,', ',THROW,'),
		document.replace(' key="1000-1"', ''),
		document.replace('a.B.outer', 'a.B.outer,1'),
		document.replaceAll('trace-file', 'traces'),
	];
	expect(others).not.toContain(document);
	const verdicts = validated([...reports.map(of => write(of)), ...others]);
	expect(new Set(verdicts.slice(0, reports.length))).toEqual(new Set(['valid']));
	expect(verdicts.slice(reports.length)).not.toContain('valid');
});
