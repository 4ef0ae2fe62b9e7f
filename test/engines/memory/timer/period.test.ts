import process from 'node:process';
import {expect, test} from 'vitest';
import {CpuRings, targetCpus} from '../../../../source/engines/memory/timer/cpu-rings.js';
import {loadPerfCalls, type PerfCalls} from '../../../../source/engines/memory/timer/perf-calls.js';
import {Period} from '../../../../source/engines/memory/timer/period.js';

test('records come as often as before when some were lost once, half as often when that goes on, and again as often when there is room', () => {
	const period = new Period(100);
	const usual = period.ns;
	for (let stall = 0; stall < 5; stall++) {
		expect(period.adapt(12, false)).toBe(false);
		expect(period.adapt(0, true)).toBe(false);
	}

	expect([period.adapt(12, false), period.ns]).toEqual([false, usual]);
	expect([period.adapt(12, false), period.ns]).toEqual([true, 2 * usual]);
	expect([period.adapt(3, false), period.ns]).toEqual([true, 4 * usual]);
	const changes = Array.from({length: 300}, () => period.adapt(0, true)).filter(Boolean);
	expect([changes.length, period.ns]).toEqual([2, usual]);
});

/** Rings of a second for each CPU, and 16 MB for all of them. */
test('a sample that is a second late finds all records of a CPU, and all rings together are bounded', () => {
	const sizes: number[] = [];
	const real = loadPerfCalls();
	const calls: PerfCalls = {
		...real,
		mapRing(fd, bytes) {
			const mapped = real.mapRing(fd, bytes);
			if (!('errno' in mapped)) {
				sizes.push(bytes);
			}

			return mapped;
		},
	};
	const rings = CpuRings.open(calls, process.pid, new Period(100).ns);
	rings?.close();
	const cpus = targetCpus(loadPerfCalls(), process.pid).length;
	if (rings && cpus <= 4) {
		const recordBytes = 33_000;
		expect(sizes).toHaveLength(cpus);
		expect(Math.min(...sizes)).toBeGreaterThan(recordBytes * 1e9 / new Period(100).ns);
	}

	expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(17 << 20);
});
