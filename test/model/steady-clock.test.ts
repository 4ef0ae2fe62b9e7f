import fc from 'fast-check';
import {expect, test} from 'vitest';
import {SteadyClock} from '../../source/util/steady-clock.js';

test('time goes on while the clock is set back and forward, and follows the clock forward', () => {
	const step = fc.record({
		passesMs: fc.nat(5000),
		setMs: fc.oneof(fc.constant(0), fc.integer({min: -1e7, max: 1e7})),
	});
	fc.assert(fc.property(fc.array(step, {maxLength: 50}), steps => {
		let [wallMs, monotonicMs, expectedMs] = [1e12, 0, 1e12];
		const clock = new SteadyClock(() => wallMs, () => monotonicMs);
		expect(clock.now()).toBe(expectedMs);
		for (const {passesMs, setMs} of steps) {
			monotonicMs += passesMs;
			wallMs += passesMs + setMs;
			// A small step back is what a clock does that is adjusted.
			expectedMs += passesMs + (setMs < -500 ? 0 : setMs);
			expect(clock.now()).toBe(expectedMs);
		}
	}));
});
