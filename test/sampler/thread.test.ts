import {Worker} from 'node:worker_threads';
import {expect, test} from 'vitest';
import {startThreadAhead, takeThread} from '../../source/sampler/thread.js';

test('a worker that was started ahead is taken once, and no other file stands for it', async () => {
	startThreadAhead();
	const later = new Worker('', {eval: true});
	const missing = takeThread(new URL('missing.js', import.meta.url));
	const failed = new Promise<Error>(resolve => {
		missing.once('error', resolve);
	});
	const taken = takeThread();
	const next = takeThread();
	try {
		expect(taken.threadId).toBeLessThan(later.threadId);
		expect(next.threadId).toBeGreaterThan(later.threadId);
		const {message} = await failed;
		expect(message).toContain('missing.js');
	} finally {
		await Promise.all([later, taken, next].map(async worker => worker.terminate()));
	}
});
