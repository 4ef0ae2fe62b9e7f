import {expect, test} from 'vitest';
import {loadPerfCalls} from '../../../../source/engines/memory/cpu/perf/perf-calls.js';
import {Breakpoint} from '../../../../source/engines/memory/events/breakpoint.js';
import {sliceMs} from '../../../../source/engines/memory/events/duty-cycle.js';
import {closedAfterTest} from '../../../helpers/for-test.js';

/** A breakpoint on a word of our own; `write` writes it, and gives what a slice with that many writes counts for. */
function ownBreakpoint() {
	const calls = loadPerfCalls();
	const page = calls.mapPage();
	const words = new Float64Array(page.memory);
	const breakpoint = closedAfterTest(Breakpoint.open(calls, 0, {address: page.start}) as Breakpoint);
	breakpoint.setEnabled(true);
	return {
		write(times: number, onMs = sliceMs) {
			for (let time = 0; time < times; time++) {
				words[0] = time;
			}

			const {records, events, times: each} = breakpoint.take(onMs);
			expect(events).toBe(times);
			return {records: records.length, counted: records.length * each};
		},
	};
}

test('after a burst, and of one that does not fit into the ring, all events count once', () => {
	const {write} = ownBreakpoint();
	let [written, counted] = [0, 0];
	for (const times of [20, 100, ...Array.from({length: 400}, () => 1), 0, 300, 2, 40]) {
		written += times;
		counted += write(times).counted;
	}

	// Those after the last record are not counted yet.
	expect(counted).toBeLessThanOrEqual(written + 1e-6);
	expect(counted).toBeGreaterThan(written - 100);
});

test('a slice that ended late makes no later event go without a record', () => {
	const {write} = ownBreakpoint();
	write(60, 50 * sliceMs);
	for (let slice = 0; slice < 20; slice++) {
		expect(write(3).records).toBe(3);
	}
});
