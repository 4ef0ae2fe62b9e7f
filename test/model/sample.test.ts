import {expect, test} from 'vitest';
import {Sample} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';

/** Every column of a row. */
function row(sample: Sample, at: number): Record<string, number | string> {
	const columns = Object.entries(sample).filter(([name, column]) => (ArrayBuffer.isView(column) || name === 'name') && name !== 'frames');
	return Object.fromEntries(columns.map(([name, column]) => [name, (column as Int32Array | string[])[at]]));
}

const fresh = {
	nativeId: 0, flags: 0, state: stateCode.RUNNABLE, cpuNs: 0, isObserved: 0, stackLength: 0, lockKind: 0, lockClass: 0, lockOwner: -1, lockOwnerFrame: 0, carrier: -1,
};

test('a thread that is added is RUNNABLE and has nothing, whatever its row held before, however many there are', () => {
	const sample = new Sample();
	for (const count of [3, 200, 70]) {
		sample.clear();
		for (let key = 1; key <= count; key++) {
			const at = sample.addThread(key, 0, 'worker');
			expect(row(sample, at)).toMatchObject({...fresh, key, name: 'worker', stackStart: sample.frameCount});
			sample.addFrame(key);
			for (const column of Object.values(sample)) {
				if (ArrayBuffer.isView(column) && column !== sample.frames && column !== sample.key && column !== sample.stackStart && column !== sample.stackLength) {
					(column as Int32Array)[at] = 7;
				}
			}
		}

		expect([...sample.key.subarray(0, count)]).toEqual(Array.from({length: count}, (_, index) => index + 1));
		expect([...sample.lockOwner.subarray(0, count)].every(owner => owner === 7)).toBe(true);
		expect(sample.stackStart[count - 1]).toBe(count - 1);
	}
});

test('attributed CPU time has frames of its own, behind those of its thread, and is gone with the sample', () => {
	const sample = new Sample();
	for (const count of [2, 150]) {
		sample.clear();
		for (let at = 0; at < count; at++) {
			sample.addThread(at, 0, 'worker');
			sample.addFrame(at);
			sample.addAttributedCpu(at, 10 + at, [1000 + at, 2000 + at]);
		}

		const {attributedCpu, frames} = sample;
		expect(attributedCpu.count).toBe(count);
		for (let at = 0; at < count; at++) {
			expect([attributedCpu.row[at], attributedCpu.cpuNs[at], attributedCpu.stackLength[at]]).toEqual([at, 10 + at, 2]);
			expect([...frames.subarray(attributedCpu.stackStart[at], attributedCpu.stackStart[at] + 2)]).toEqual([1000 + at, 2000 + at]);
			expect([sample.stackLength[at], frames[sample.stackStart[at]]]).toEqual([1, at]);
		}
	}

	sample.clear();
	expect([sample.attributedCpu.count, sample.frameCount]).toEqual([0, 0]);
});
