import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {compileProgram, jdk} from '../helpers/jvm.js';
import {report} from '../helpers/trace-report.js';
import {hostileNames, reportOf, write} from './xml-traces.js';

/** What a JDK's validator says of each document by docs/traces.xsd. */
function validated(documents: readonly string[]): string[] {
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-xsd-'));
	try {
		const files = documents.map((document, index) => {
			const file = path.join(folder, `${index}.xml`);
			writeFileSync(file, document);
			return file;
		});
		const schema = path.resolve(import.meta.dirname, '../../docs/traces.xsd');
		return execFileSync(path.join(jdk().home, 'bin/java'), ['-cp', compileProgram('ValidatesXml', jdk()), 'ValidatesXml', schema, ...files], {encoding: 'utf8'}).trimEnd().split('\n');
	} finally {
		rmSync(folder, {recursive: true, force: true});
	}
}

test('the schema accepts what is written, and nothing else', () => {
	const reports = [report, {...report, slowest: []}, ...fc.sample(hostileNames, 100).map(({className, method, thread}) => reportOf(className, method, thread))];
	expect([...new Set(validated(reports.map(of => write(of))))]).toEqual(['valid']);

	const document = write(report);
	const others = [
		document.replace('1000,START', '1000.000000,START'),
		document.replace(',EXCEPTION,', ',THROW,'),
		document.replace(' key="1000-1"', ''),
		document.replace('a.B.outer', 'a.B.outer,1'),
		document.replaceAll('trace-file', 'traces'),
	];
	expect(others).not.toContain(document);
	expect(validated(others)).not.toContain('valid');
});
