import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {isNewestOrAskedFor, jdks, startShop} from '../../helpers/jvm.js';
import {javaForTest, stoppedAfterTest} from '../../helpers/for-test.js';
import {Observer} from '../observe.js';

const wanted = 240;

/** Top frames of whole stacks of running threads of this name. */
async function topsOf(pid: number, name: string, count: number): Promise<string[]> {
	const observer = await Observer.open(pid);
	const tops: string[] = [];
	while (tops.length < count) {
		const threads = await observer.observe();
		tops.push(...threads.filter(thread =>
			thread.name.startsWith(name) && thread.state === 'RUNNABLE' && !thread.isIncomplete).map(({frames}) => frames[0]));
		await sleep(10);
	}

	return tops;
}

describe.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))('JDK $release', jdk => {
	test('a loop of leaf calls is no work of what is inlined behind it', async () => {
		const {pid} = await javaForTest('LeafCalls', {jdk});
		const tops = await topsOf(pid, 'running-', wanted / 3);
		expect(
			tops.filter(top => top.startsWith('LeafCalls.burst:')).length / tops.length,
			[...new Set(tops)].join(', '),
		).toBeGreaterThan(0.9);
	});

	// The compiler inlines the loops into their caller and leaves no debug information in them, as this collector has
	// them end before it begins; the next in the code is that of the sleep behind.
	test('counted loops inlined into a burst of work are no work at the sleep behind it', async () => {
		const {pid} = stoppedAfterTest(await startShop({jdk, jvmArgs: ['-Xmx128m', '-XX:+UseSerialGC']}));
		const tops = await topsOf(pid, 'pricing-', wanted);
		expect(
			tops.filter(top => top.startsWith('demo.Shop.pause')).length / tops.length,
			[...new Set(tops)].join(', '),
		).toBeLessThan(0.05);
		expect(tops.filter(top => top.startsWith('demo.Pricing.')).length / tops.length).toBeGreaterThan(0.9);
	});
});
