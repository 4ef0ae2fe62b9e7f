import {expect, test} from 'vitest';
import {javaForTest} from '../helpers/for-test.js';
import {jdks, type JavaProcess} from '../helpers/jvm.js';
import {sayTo} from '../helpers/say.js';
import {targetOf} from '../helpers/target.js';
import {traced} from '../helpers/traced.js';
import {untilAsync} from '../helpers/until.js';

async function loadedBy(java: JavaProcess): Promise<number> {
	return Number(/^loaded (\d+)$/m.exec(await sayTo(java, 'how many'))![1]);
}

test.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i: of a class that hundreds of class loaders have, some copies are traced, and the program has room for all', async (_, jdk) => {
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
	expect([report.wovenClasses, report.wovenMethods]).toEqual([2, 2]);
	expect(report.traces).toBeGreaterThan(100);
	await loadMore();
	expect(java.output()).not.toContain('failed');
});
