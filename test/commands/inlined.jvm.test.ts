import {copyFileSync, rmSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {folderForTest, programForTest} from '../helpers/for-test.js';
import {jdk, nice} from '../helpers/jvm.js';
import {runCli} from '../helpers/run.js';

/**
Made by kotlinc 2.1.21 from the sources beside it: `kotlinc -no-stdlib -no-reflect -cp kotlin-stdlib-2.1.21.jar
-Xno-param-assertions -Xno-call-assertions -d orders.jar Timing.kt OrderService.kt`, so that it needs no library to run.
*/
const fixtures = path.resolve(import.meta.dirname, '../fixtures/kotlin');

async function hotLines(pid: number, ...more: readonly string[]): Promise<string> {
	const {stdout} = await runCli('--batch', '--duration', '3', '--top', '5', ...more, String(pid));
	return stdout;
}

test('the hot line of an inlined function is that of its own source, or is called inlined code', async () => {
	const jar = path.join(folderForTest(), 'orders.jar');
	copyFileSync(path.join(fixtures, 'orders.jar'), jar);
	const java = programForTest(nice[0], [
		...nice.slice(1),
		path.join(jdk().home, 'bin/java'),
		'-cp',
		jar,
		'com.acme.orders.OrderServiceKt',
	]);
	await java.waitFor(/^ready$/m);
	expect(await hotLines(java.pid)).toMatch(/ [\w.]*OrderService\.checkout:13 \(inlined Timing\.kt:1[34]\)$/m);
	rmSync(jar);
	expect(await hotLines(java.pid, '--source', path.join(fixtures, 'orders.jar')))
		.toMatch(/ [\w.]*OrderService\.checkout:13 \(inlined Timing\.kt:1[34]\)$/m);
	const sources = folderForTest();
	copyFileSync(path.join(fixtures, 'OrderService.kt'), path.join(sources, 'OrderService.kt'));
	expect(await hotLines(java.pid, '--source', sources))
		.toMatch(/ [\w.]*OrderService\.checkout:3[23] \(inlined code\)$/m);
});
