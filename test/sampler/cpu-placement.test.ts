import {describe, expect, test} from 'vitest';
import {Sample} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import {seeded} from '../helpers/random.js';
import {CpuPlacement} from '../../source/sampler/cpu-placement.js';

function draw(sample: Sample, key: number, state: number, cpuNs: number): number {
	const row = sample.addThread(key, key, 'worker');
	sample.state[row] = state;
	sample.cpuNs[row] = cpuNs;
	return row;
}

/**
One thread, a column a sample: its state (R running, t sleeping, . idle) over the CPU it used since the sample before,
in tenths of the interval; gives the credits in tenths.
*/
function credits(states: string, used: string): string {
	const placement = new CpuPlacement();
	const sample = new Sample();
	return [...states].map((letter, index) => {
		sample.clear();
		const row = sample.addThread(1, 100, 'worker');
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

	test('never seen running for as long as three sightings would take: it counts at the waiting call where that is native code', () => {
		expect(credits('........', '99999999')).toBe(creditsOf([0, 0, 0, 27 + 9, 0, 0, 0, 27 + 9]));
	});

	test('never seen running, and met in a park, a sleep or at a monitor: not there, but as work that nobody saw, after thirty sightings missed', () => {
		const placement = new CpuPlacement();
		const sample = new Sample();
		for (let index = 1; index <= 34; index++) {
			for (const [key, state] of [stateCode.WAITING, stateCode.TIMED_WAITING, stateCode.BLOCKED].entries()) {
				draw(sample, key, state, 9);
			}

			placement.assign(sample, 10);
			expect([...sample.placedCpuNs.subarray(0, sample.count)]).toEqual([0, 0, 0]);
			expect([...sample.unseenCpuNs.subarray(0, sample.count)]).toEqual(Array.from({length: 3}, () => index === 34 ? 34 * 9 : 0));
			sample.clear();
		}
	});

	test('a carrier that is met waiting worked for its virtual threads: what it used counts where it next carries one that runs', () => {
		const placement = new CpuPlacement();
		const sample = new Sample();
		let placedNs = 0;
		for (let task = 1; task <= 40; task++) {
			sample.clear();
			const carrier = draw(sample, 1, stateCode.WAITING, task % 5 === 0 ? 0 : 4);
			if (task % 5 === 0) {
				sample.carrier[draw(sample, 100 + task, stateCode.RUNNABLE, 4)] = carrier;
			}

			placement.assign(sample, 100);
			expect(sample.placedCpuNs[carrier]).toBe(0);
			placedNs += sample.count > 1 ? sample.placedCpuNs[1] : 0;
		}

		expect(placedNs).toBe(40 * 4);
	});

	test('what has a credit counts there; of the rest only what a credit to come cannot account for', () => {
		const placement = new CpuPlacement();
		const sample = new Sample();
		// A column a sample: CPU used, credited, what may be credited yet; what is placed where the thread stands.
		const once = (state: number, [used, credited, awaited]: readonly [number, number, number]) => {
			sample.clear();
			const row = draw(sample, 1, state, used);
			sample.awaitedCpuNs[row] = awaited;
			if (credited > 0) {
				sample.addCredit(row, credited);
			}

			placement.assign(sample, 100);
			return sample.placedCpuNs[row];
		};

		const {RUNNABLE, WAITING, IDLE} = stateCode;
		expect([once(RUNNABLE, [20, 0, 10]), once(RUNNABLE, [5, 0, 10]), once(RUNNABLE, [5, 20, 10])]).toEqual([10, 5, 0]);
		// Credits that are ahead are made up for first.
		expect([once(RUNNABLE, [9, 20, 10]), once(RUNNABLE, [20, 0, 10]), once(RUNNABLE, [7, 0, 10])]).toEqual([0, 0, 1]);
		expect([once(WAITING, [30, 0, 10]), once(IDLE, [1, 0, 10])]).toEqual([0, 31]);
		expect([once(RUNNABLE, [30, 0, Infinity]), once(RUNNABLE, [1, 0, 0])]).toEqual([0, 41]);
		// So much was placed by rule where it was found running, though there are records of it.
		expect(placement.ruledNs).toBe(10 + 5 + 1);
		// With no event any more the rest counts as ever, and a debt is still one.
		expect([once(RUNNABLE, [1, 20, 10]), once(RUNNABLE, [10, 0, 0]), once(RUNNABLE, [10, 0, 0])]).toEqual([0, 0, 1]);
	});

	test('a thread that is found on a CPU: what it used since the time before counts half there, half here', () => {
		const placement = new CpuPlacement();
		const sample = new Sample();
		/** CPU time by the frame that it counts at. */
		const once = (frame: number, usedNs: number, wasOnCpu: boolean) => {
			sample.clear();
			const row = draw(sample, 1, wasOnCpu ? stateCode.RUNNABLE : stateCode.WAITING, usedNs);
			sample.addFrame(frame);
			sample.wasOnCpu[row] = Number(wasOnCpu);
			placement.assign(sample, 100);
			expect(sample.placedCpuNs[row]).toBe(0);
			const {count, cpuNs, stackStart} = sample.credits;
			return Array.from({length: count}, (_, credit) => [sample.frames[stackStart[credit]], cpuNs[credit]]);
		};

		expect([once(10, 4, true), once(11, 6, false), once(12, 2, true), once(12, 0, true)]).toEqual([[[10, 4]], [], [[10, 4], [12, 4]], []]);
		expect(once(10, 6, true)).toEqual([[12, 3], [10, 3]]);
		// It was not counted: all of it counts once, with the next.
		placement.takeBack(sample);
		expect(once(13, 2, true).reduce((sum, [, ns]) => sum + ns, 0)).toBe(8);
	});

	test('a sample with credits that was not counted: its CPU time counts once, with the next', () => {
		const placement = new CpuPlacement();
		const sample = new Sample();
		sample.addCredit(draw(sample, 1, stateCode.RUNNABLE, 30), 20);
		placement.assign(sample, 100);
		expect(sample.placedCpuNs[0]).toBe(10);
		placement.takeBack(sample);
		sample.clear();
		draw(sample, 1, stateCode.RUNNABLE, 5);
		placement.assign(sample, 100);
		expect([sample.cpuNs[0], sample.placedCpuNs[0]]).toEqual([35, 35]);
	});

	test('a sample with a mounted virtual thread that was not counted: its CPU time counts once, with the next', () => {
		const placement = new CpuPlacement();
		const sample = new Sample();
		const once = (usedNs: number) => {
			sample.clear();
			const carrier = draw(sample, 1, stateCode.WAITING, 0);
			sample.carrier[draw(sample, 7, stateCode.RUNNABLE, usedNs)] = carrier;
			placement.assign(sample, 100);
		};

		once(5);
		placement.takeBack(sample);
		once(6);
		expect(sample.cpuNs[0] + sample.cpuNs[1]).toBe(11);
		expect([...sample.placedCpuNs.subarray(0, 2)]).toEqual([0, 11]);
	});

	test('a thread that was seen running is missed by chance now and then: in short bursts, a twelfth of its time, the native call between them has no heat', () => {
		const random = seeded(5);
		let atWait = 0;
		let used = 0;
		for (let thread = 0; thread < 50; thread++) {
			const placement = new CpuPlacement();
			const sample = new Sample();
			for (let index = 0; index < 2000; index++) {
				sample.clear();
				const row = sample.addThread(1, 100, 'worker');
				const isRunning = random() < 1 / 12;
				sample.state[row] = isRunning ? stateCode.RUNNABLE : stateCode.IDLE;
				sample.cpuNs[row] = 100;
				used += 100;
				placement.assign(sample, 1200);
				atWait += isRunning ? 0 : sample.placedCpuNs[row];
			}
		}

		// What there is comes from the first sightings, when nothing is known of the thread yet; without its past it
		// would be an eighth of all.
		expect(atWait / used).toBeLessThan(0.006);
	});

	test('a thread that changes from running to work within a native call that waits: that has its heat some seconds later', () => {
		const run = 'R'.repeat(200);
		const given = credits(run + '.'.repeat(200), '9'.repeat(400)).slice(200);
		expect(given.slice(0, 30).replaceAll('0', '').length).toBeGreaterThan(0);
		expect(given.replaceAll('0', '').length).toBeGreaterThan(20);
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
					const row = sample.addThread(key, key, 'worker');
					sample.state[row] = Math.floor(random() * 7);
					sample.cpuNs[row] = random() < 0.4 ? 0 : Math.floor(random() * 100);
					used += sample.cpuNs[row];
				}

				placement.assign(sample, 100);
				for (let row = 0; row < sample.count; row++) {
					credited += sample.placedCpuNs[row] + sample.unseenCpuNs[row];
				}

				expect(credited).toBeLessThanOrEqual(used);
				// Three threads, 22 sightings each: no share of anything that is looked at for a while.
				expect(used - credited).toBeLessThanOrEqual(3 * 2200);
			}
		}
	});
});

function creditsOf(values: readonly number[]): string {
	return values.map(value => value.toString(36)).join('');
}
