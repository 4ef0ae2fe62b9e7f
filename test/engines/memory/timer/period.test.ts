import process from 'node:process';
import {expect, test} from 'vitest';
import {CpuRings, targetCpus} from '../../../../source/engines/memory/timer/cpu-rings.js';
import {loadPerfCalls, type PerfCalls} from '../../../../source/engines/memory/timer/perf-calls.js';
import {monotonicNs, Period, PeriodLog} from '../../../../source/engines/memory/timer/period.js';

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

test('a record counts for the period that was in force when it was written', () => {
	const log = new PeriodLog(10);
	log.change(20, 100);
	log.change(5, 200);
	expect([0, 99, 100, 199, 200, 1e9].map(timeNs => log.at(timeNs))).toEqual([10, 10, 20, 20, 5, 5]);
	for (let change = 0; change < 100; change++) {
		log.change(1000 + change, 1000 + change);
	}

	expect([log.at(1099), log.at(1090), log.at(0)]).toEqual([1099, 1090, 1084]);
});

/** A CPU's records come each period while this process spins; its own stack has no Java frames, and is not walked. */
test('the kernel gives records the time of process.hrtime', () => {
	const startNs = monotonicNs();
	const rings = CpuRings.open(loadPerfCalls(), process.pid, 4e6);
	if (!rings) {
		return;
	}

	try {
		spin(120);
		const {records} = rings.take();
		const times = records.map(({timeNs}) => timeNs);
		expect(times.length).toBeGreaterThan(10);
		expect(Math.min(...times)).toBeGreaterThan(startNs);
		expect(Math.max(...times)).toBeLessThan(monotonicNs());
		expect(times).toEqual([...times].sort((a, b) => a - b));
		expect(records.every(({periodNs}) => periodNs === 4e6)).toBe(true);
	} finally {
		rings.close();
	}
});

/** Uses so much CPU time. */
function spin(ms: number): void {
	const usedMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1000;
	const endMs = usedMs() + ms;
	while (usedMs() < endMs) {
		// Nothing else.
	}
}
