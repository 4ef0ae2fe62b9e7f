import {describe, expect, test} from 'vitest';
import {Sample} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import {CpuPlacement} from '../../source/sampler/cpu-placement.js';

/** One thread, a column a sample: its state (R running, t sleeping, . idle) over the CPU it used since the sample before, in tenths of the interval; gives the credits in tenths. */
function credits(states: string, used: string): string {
	const placement = new CpuPlacement();
	const sample = new Sample();
	return [...states].map((letter, index) => {
		sample.clear();
		const row = sample.addThread(1, 100, 1);
		sample.state[row] = {R: stateCode.RUNNABLE, t: stateCode.TIMED_WAITING, '.': stateCode.IDLE}[letter]!;
		sample.cpuNs[row] = Number.parseInt(used[index], 36);
		placement.assign(sample, 10);
		return sample.placedCpuNs[row].toString(36);
	}).join('');
}

describe('where CPU time counts', () => {
	test('a thread that is seen running: at once', () => {
		expect(credits('RRRR', '5a3a')).toBe('5a3a');
	});

	test('a thread that sleeps between bursts: where it is next seen running, never at the sleep', () => {
		expect(credits('Rttt', '5430')).toBe('5000');
		expect(credits('ttRtRR', '440201')).toBe(creditsOf([0, 0, 0, 0, 0, 11]));
		expect(credits('t.tR', '3331')).toBe('000a');
	});

	test('RUNNABLE without having used CPU is not running: what it used before stays kept', () => {
		expect(credits('tRRR', '4002')).toBe('0006');
	});

	test('never seen running for as long as three sightings would take: it counts at the waiting call', () => {
		expect(credits('tttttttt', '99999999')).toBe(creditsOf([0, 0, 0, 36, 0, 0, 0, 36]));
	});

	test('nothing is credited twice or invented: the sum never passes what was used', () => {
		let seed = 7;
		const random = () => {
			seed = ((seed * 1_103_515_245) + 12_345) % 2_147_483_648;
			return seed / 2_147_483_648;
		};

		for (let round = 0; round < 200; round++) {
			const placement = new CpuPlacement();
			const sample = new Sample();
			let used = 0;
			let credited = 0;
			for (let index = 0; index < 60; index++) {
				sample.clear();
				for (let key = 1; key <= 3; key++) {
					const row = sample.addThread(key, key, 1);
					sample.state[row] = Math.floor(random() * 7);
					sample.cpuNs[row] = random() < 0.4 ? 0 : Math.floor(random() * 100);
					used += sample.cpuNs[row];
				}

				placement.assign(sample, 100);
				for (let row = 0; row < sample.count; row++) {
					credited += sample.placedCpuNs[row];
				}

				expect(credited).toBeLessThanOrEqual(used);
				expect(used - credited).toBeLessThanOrEqual(3 * 400);
			}
		}
	});
});

function creditsOf(values: readonly number[]): string {
	return values.map(value => value.toString(36)).join('');
}
