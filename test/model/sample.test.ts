import {expect, test} from 'vitest';
import {Sample} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';

test('a thread that is added is RUNNABLE and has nothing, whatever its row held before, however many there are', () => {
	const sample = new Sample();
	for (const count of [3, 200, 70]) {
		sample.clear();
		for (let key = 1; key <= count; key++) {
			const at = sample.addThread(key, 0, 'worker');
			const {flags, state, cpuNs, isObserved, stackLength, lockKind, lockClass, lockOwner, lockOwnerFrame, carrier} = sample;
			expect([state, flags, cpuNs, isObserved, stackLength, lockKind, lockClass, lockOwnerFrame].map(column => column[at])).toEqual([stateCode.RUNNABLE, 0, 0, 0, 0, 0, 0, 0]);
			expect([lockOwner[at], carrier[at], sample.stackStart[at]]).toEqual([-1, -1, sample.frameCount]);
			sample.addFrame(key);
			for (const column of [flags, state, cpuNs, isObserved, lockKind, lockClass, lockOwner, lockOwnerFrame, carrier]) {
				column[at] = 7;
			}
		}
	}
});
