import {expect, test} from 'vitest';
import {DutyCycle} from '../../../../source/engines/memory/events/duty-cycle.js';

/** Runs cycles with this many events a second while breakpoints are on; gives the events of a second at the end. */
function recordedPerS(duty: DutyCycle, perS: number, cycles = 200): number {
	let [nowMs, events, sinceMs] = [0, 0, 0];
	for (let cycle = 0; cycle < cycles; cycle++) {
		if (cycle === cycles / 2) {
			events = 0;
			sinceMs = nowMs;
		}

		const [beforeMs, onMs, afterMs] = duty.next();
		nowMs += beforeMs + onMs;
		events += perS * onMs / 1000;
		duty.addSlice(perS * onMs / 1000, onMs, nowMs);
		nowMs += afterMs;
	}

	return 1000 * events / (nowMs - sinceMs);
}

test('breakpoints stay on as long as events are few', () => {
	const duty = new DutyCycle(2, 0.025);
	expect(duty.next()).toEqual([0, 10, 0]);
	expect(recordedPerS(duty, 240)).toBeCloseTo(240);
	expect(duty.share).toBe(1);
});

test.each([
	['a quarter of a percent, of which events get half, at 25 us an event', 0.25, 0.025, 50],
	['no more than 250 a second, for our own sake', 100, 0.001, 250],
])('more events are recorded for a part of the time: %s', (_, percent, costMs, maxPerS) => {
	for (const perS of [500, 3000]) {
		const recorded = recordedPerS(new DutyCycle(percent, costMs), perS);
		expect(recorded).toBeGreaterThan(0.9 * maxPerS);
		expect(recorded).toBeLessThan(1.1 * maxPerS);
	}
});

test('a burst is forgotten, and our own budget makes events rarer', () => {
	const duty = new DutyCycle(2, 0.025);
	recordedPerS(duty, 20_000);
	expect(duty.share).toBeLessThan(0.02);
	duty.addSlice(0, 10, 1e6);
	expect(duty.share).toBe(1);
	const rarer = new DutyCycle(2, 0.025);
	rarer.recordEvery = 5;
	expect(recordedPerS(rarer, 2000)).toBeLessThan(55);
});

test('a slice is at any place of its cycle', () => {
	const duty = new DutyCycle(2, 0.025);
	recordedPerS(duty, 2500);
	const places = Array.from({length: 1000}, () => {
		const [beforeMs, , afterMs] = duty.next();
		return beforeMs / (beforeMs + afterMs);
	});
	for (const tenth of Array.from({length: 10}, (_, index) => index / 10)) {
		// Of 100 expected ones, fewer than 60 or more than 145 are chance in fewer than one of 30,000 runs.
		const inTenth = places.filter(place => place >= tenth && place < tenth + 0.1).length;
		expect(inTenth).toBeGreaterThan(60);
		expect(inTenth).toBeLessThan(145);
	}
});
