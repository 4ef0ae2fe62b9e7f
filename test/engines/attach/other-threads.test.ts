import {pbkdf2} from 'node:crypto';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {OtherThreads} from '../../../source/engines/attach/other-threads.js';
import {ThreadCpu} from '../../../source/jvm/threads/thread-cpu.js';
import {Sample} from '../../../source/model/sample.js';
import {closedAfterTest} from '../../helpers/for-test.js';

test('threads that no dump shows have the kernel\'s names and CPU times; those of the dump, and unknown ids, none', async () => {
	const others = new OtherThreads(process.pid, closedAfterTest(new ThreadCpu(process.pid)));
	const sample = new Sample();
	let usedNs = 0;
	const endMs = performance.now() + 60_000;
	while (usedNs < 50e6 && performance.now() < endMs) {
		sample.clear();
		sample.addThread(1, process.pid, 'main');
		others.add(sample);
		for (let row = 1; row < sample.count; row++) {
			expect([sample.key[row], sample.nativeId[row]]).toEqual([-sample.nativeId[row], expect.any(Number)]);
			expect(sample.nativeId[row]).not.toBe(process.pid);
			usedNs += sample.cpuNs[row];
		}

		// Work of libuv's threads.
		await Promise.all([promisify(pbkdf2)('', '', 100_000, 64, 'sha512'), sleep(50)]);
	}

	expect(usedNs).toBeGreaterThanOrEqual(50e6);
	expect(sample.name.slice(1).every(name => name !== '')).toBe(true);
	sample.clear();
	sample.addThread(1, 0, 'main');
	others.add(sample);
	expect(sample.count).toBe(1);
});
