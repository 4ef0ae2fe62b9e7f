import fc from 'fast-check';
import {SaxesParser} from 'saxes';
import {expect, test} from 'vitest';
import {hostileNames, reportOf, write} from './xml-traces.js';

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

test('a parser that is not ours finds keys, threads, times, actions and names in the XML, however hostile they are', () => {
	fc.assert(fc.property(hostileNames, ({className, method, thread}) => {
		const [trace] = read(write(reportOf(className, method, thread)));
		const inner = `${className}.${method}`;
		expect(trace).toEqual({
			key: '1000-1', thread,
			actions: [['1000', 'START', 'a.B.outer'], ['1000', 'START', inner], ['1000', 'END', inner], ['1002', 'EXCEPTION', 'a.B.outer']],
		});
	}));
});
