import process from 'node:process';
import {expect, test} from 'vitest';
import {CpuRings, targetCpus} from '../../../../../source/engines/memory/cpu/perf/cpu-rings.js';
import {loadPerfCalls, type PerfCalls} from '../../../../../source/engines/memory/cpu/perf/perf-calls.js';
import {monotonicNs, periodOf} from '../../../../../source/engines/memory/cpu/perf/running-timer.js';
import {closedAfterTest} from '../../../../helpers/for-test.js';

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
	const rings = CpuRings.open(calls, process.pid, periodOf(100));
	rings?.close();
	const cpus = targetCpus(loadPerfCalls(), process.pid).length;
	if (rings && cpus <= 4) {
		const recordBytes = 33_000;
		expect(sizes).toHaveLength(cpus);
		expect(Math.min(...sizes)).toBeGreaterThan(recordBytes * 1e9 / periodOf(100));
	}

	expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(17 << 20);
});

/** A CPU's records come each period while this process spins; its own stack has no Java frames, and is not walked. */
test('the kernel gives records the time of process.hrtime', () => {
	const startNs = monotonicNs();
	const rings = CpuRings.open(loadPerfCalls(), process.pid, 4e6);
	if (!rings) {
		return;
	}

	closedAfterTest(rings);
	spin(120);
	const {records} = rings.take();
	const times = records.map(({timeNs}) => timeNs);
	expect(times.length).toBeGreaterThan(10);
	expect(Math.min(...times)).toBeGreaterThan(startNs);
	expect(Math.max(...times)).toBeLessThan(monotonicNs());
	expect(times).toEqual([...times].sort((a, b) => a - b));
	expect(records.every(({periodNs}) => periodNs === 4e6)).toBe(true);
});

/** Uses so much CPU time. */
function spin(ms: number): void {
	const usedMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
	const endMs = usedMs() + ms;
	while (usedMs() < endMs) {
		// Nothing else.
	}
}
