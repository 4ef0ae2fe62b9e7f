import {expect, test} from 'vitest';
import {eachWindow} from '../../source/commands/record.js';

test('a signal during the work of a window does not lose what follows it', async () => {
	const stop = new AbortController();
	const calls: boolean[] = [];
	await eachWindow(() => false, undefined, stop.signal, async isLast => {
		calls.push(isLast);
		stop.abort();
	}, 1);
	expect(calls).toEqual([false, true]);
});
