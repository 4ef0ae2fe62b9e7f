import {expect, test} from 'vitest';
import {javaForTest} from '../helpers/for-test.js';
import {jdk, jdks, type JavaProcess} from '../helpers/jvm.js';
import {sayTo} from '../helpers/say.js';
import {targetOf} from '../helpers/target.js';
import {traced} from '../helpers/traced.js';
import {until, untilAsync} from '../helpers/until.js';

async function loadedBy(java: JavaProcess): Promise<number> {
	return Number(/^loaded (\d+)$/m.exec(await sayTo(java, 'how many'))![1]);
}

test.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i: of a class that hundreds of class loaders have, some copies are traced, that of the class path among them, and the program has room for all', async (_, jdk) => {
	const java = await javaForTest('ManyLoaders', {jdk, jvmArgs: ['-Xmx128m', '-XX:MaxMetaspaceSize=40m']});
	const loadMore = async () => {
		const enough = await loadedBy(java) + 500;
		await untilAsync(async () => await loadedBy(java) > enough);
	};

	await loadMore();
	const report = await traced(await targetOf(java), {patterns: ['ManyLoaders$Script#<init>', 'ManyLoaders$Loader#<init>', 'ManyLoaders$Failed#call']}, loadMore);
	expect(report.refused).toEqual([
		{name: 'ManyLoaders$Failed', reason: 'its static initialiser has failed: the JVM does not let it be changed'},
		{name: 'ManyLoaders$Script', reason: 'more than 20 class loaders have it; in the others it is not followed'},
	]);
	expect(report.survey.unmatched).toEqual([]);
	expect(report.survey).toMatchObject({classes: 3, methods: 3});
	expect([report.wovenClasses, report.wovenMethods]).toEqual([2, 2]);
	expect(report.traces).toBeGreaterThan(100);
	expect(report.byThread.find(({name}) => name === 'main')?.paths.length).toBe(1);
	await loadMore();
	expect(java.output()).not.toContain('failed');
});

test('reports are whole while classes are loaded whose methods are traced from their first call', async () => {
	const java = await javaForTest('NewClasses', {jdk: jdk(), jvmArgs: ['-Xmx128m']});
	const report = await traced(await targetOf(java), {patterns: ['NewClasses$Step*#run'], reportIntervalMs: 50, keep: 100}, async session => {
		// Each is read, and throws if it names a method that it does not have.
		await until(() => session.read()!.methods.length > 1000);
	});
	expect(report.traces).toBeGreaterThan(100);
});
