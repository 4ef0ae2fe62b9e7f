import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {jdks} from '../../../../helpers/jvm.js';
import {javaForTest} from '../../../../helpers/for-test.js';
import {Observer} from '../../observe.js';

/** Current frames of the worker in samples until it is in a method. */
async function seenUntil(observer: Observer, method: string): Promise<string[]> {
	const seen: string[] = [];
	while (!seen.at(-1)?.startsWith(`FirstThenSecond.${method}(`)) {
		await sleep(10);
		const threads = await observer.observe();
		seen.push(threads.find(({name}) => name === 'worker')?.frames[0] ?? '');
	}

	return seen;
}

test.each(jdks())('JDK $release: a thread that has slept is no longer where an earlier record found it', async on => {
	const java = await javaForTest('FirstThenSecond', {jdk: on});
	// So that half a second passes until a thread that works has a record.
	const observer = await Observer.open(java.pid, {timer: 'perf', maxOverheadPercent: 0.005});
	await seenUntil(observer, 'first');
	java.child.stdin?.write('\n');
	await java.waitFor(/^second$/m);
	const seen = await seenUntil(observer, 'second');
	expect(seen.filter(frame => frame.startsWith('FirstThenSecond.first('))).toEqual([]);
});
