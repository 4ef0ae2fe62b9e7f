import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import type {Obstacle} from '../../source/jvm/obstacles.js';
import {SessionOver, type Engine} from '../../source/engines/common/engine.js';
import {RecentPauses} from '../../source/sampler/stop-budget.js';
import {chooseEngine, hintFor} from '../../source/sampler/choose-engine.js';
import {clampInterval, retryDelayMs, SamplingClock} from '../../source/sampler/clock.js';
import {seeded} from '../helpers/random.js';
import {noTarget} from '../helpers/jvm.js';

test('RecentPauses: median and 99th percentile of what is recent, and the worst of all', () => {
	const pauses = new RecentPauses();
	expect(pauses.figures()).toEqual({pauseP50Us: 0, pauseP99Us: 0, pauseWorstUs: 0});
	pauses.add(7);
	expect(pauses.figures()).toEqual({pauseP50Us: 7, pauseP99Us: 7, pauseWorstUs: 7});
	for (let pauseUs = 200; pauseUs > 0; pauseUs--) {
		pauses.add(pauseUs);
	}

	expect(pauses.figures()).toEqual({pauseP50Us: 100, pauseP99Us: 198, pauseWorstUs: 200});
	for (let count = 0; count < 512; count++) {
		pauses.add(3);
	}

	expect(pauses.figures()).toEqual({pauseP50Us: 3, pauseP99Us: 3, pauseWorstUs: 200});
});

test('retryDelayMs: waits longer from the third failure on, up to five seconds or the interval', () => {
	expect([1, 2, 3, 4, 5, 6, 7, 1000].map(failures => retryDelayMs(failures, 200))).toEqual([
		200,
		200,
		400,
		800,
		1600,
		3200,
		5000,
		5000,
	]);
	expect(retryDelayMs(50, 8000)).toBe(8000);
});

test('an interval stays within what the sampler takes', () => {
	expect([0, -5, 20.5, 1e9, Infinity, Number.NaN].map(intervalMs => clampInterval(intervalMs))).toEqual([
		1,
		1,
		20.5,
		60_000,
		60_000,
		60_000,
	]);
});

describe('chooseEngine', () => {
	const engine = (id: string, found?: Obstacle): Engine => ({
		id, defaultIntervalMs: 1, needsAttachSocket: false, check: async () => found, async open() {
			throw new Error('not opened here');
		},
	});
	const noMemory = engine('memory', {reason: safe`no ptrace rights`, hint: safe`run as root`, otherEnginesMayWork: true});
	const elsewhere = engine('memory', {reason: safe`not on this processor`, hint: safe``, otherEnginesMayWork: true});
	const gone = (id: string) => engine(id, {reason: safe`process 1 has ended`, hint: safe`choose another process`});
	const memory = engine('memory');
	const attach = engine('attach');
	const noAttach = engine('attach', {reason: safe`attach is disabled`, hint: safe`restart it`});

	test.each([
		['auto', [memory, attach], 'memory', ''],
		['auto', [noMemory, attach], 'attach', 'engine attach: memory is not available (no ptrace rights)'],
		['attach', [memory, attach], 'attach', ''],
	] as const)('%s', async (asked, among, id, note) => {
		const choice = await chooseEngine(asked, noTarget, among);
		expect([choice.engine.id, choice.note]).toEqual([id, note]);
	});

	test.each([
		['memory', [noMemory, attach], 'no ptrace rights', 'run as root, or use --engine attach'],
		['memory', [noMemory], 'no ptrace rights', 'run as root'],
		['memory', [elsewhere, attach, engine('third')], 'not on this processor', 'use --engine attach or third'],
		[
			'auto',
			[noMemory, noAttach],
			'engine memory: no ptrace rights; engine attach: attach is disabled',
			'run as root, or restart it',
		],
		[
			'auto',
			[elsewhere, noAttach],
			'engine memory: not on this processor; engine attach: attach is disabled',
			'restart it',
		],
		['auto', [gone('memory'), gone('attach')], 'process 1 has ended', 'choose another process'],
		['memory', [attach], 'this version has no engine memory', 'use --engine attach'],
	] as const)('%s, and none is ready', async (asked, among, message, hint) => {
		const choice = chooseEngine(asked, noTarget, among);
		await expect(choice).rejects.toBeInstanceOf(SessionOver);
		await expect(choice).rejects.toMatchObject({message, hint, targetEnded: false});
	});

	test('what ends a session names the other engines where they may do', () => {
		expect(hintFor(new SessionOver('too large', {targetEnded: false, otherEnginesMayWork: true}), 'attach', [
			memory,
			attach,
		])).toBe('use --engine memory');
		expect(hintFor(new SessionOver('stopped', {targetEnded: false, hint: 'resume it'}), 'attach', [memory, attach]))
			.toBe('resume it');
	});
});

/** When samples began on simulated time: each takes `tookMs(n)`, each timer is `timerLateMs` late. */
function simulate(
	clock: SamplingClock,
	intervalMs: number,
	samples: number,
	tookMs: (sample: number) => number = () => 0,
	timerLateMs = 0,
): number[] {
	let nowMs = 0;
	const begun: number[] = [];
	for (let sample = 0; sample < samples; sample++) {
		const waitMs = clock.waitMs(nowMs);
		nowMs += waitMs > 0 ? waitMs + timerLateMs : 0;
		clock.begin(nowMs, intervalMs);
		begun.push(nowMs);
		nowMs += tookMs(sample);
		clock.end(nowMs, intervalMs);
	}

	return begun;
}

test('the first sample is due at once; the next half to one and a half intervals later', () => {
	const begun = simulate(new SamplingClock(0, seeded(1)), 100, 2000);
	expect(begun[0]).toBe(0);
	const gaps = begun.slice(1).map((at, index) => at - begun[index]);
	expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
	expect(Math.max(...gaps)).toBeLessThan(150);
});

test('late timers and slow samples do not lower the rate', () => {
	const clock = new SamplingClock(0, seeded(2));
	const begun = simulate(clock, 100, 10_001, () => 30, 2);
	expect(begun.at(-1)! / 10_000).toBeGreaterThan(99);
	expect(begun.at(-1)! / 10_000).toBeLessThan(101);
	expect(clock.late).toBe(0);
});

test.each([100, 50, 200, 33.3])(
	'a program that repeats itself every %d ms is sampled at every phase alike',
	periodMs => {
		const begun = simulate(new SamplingClock(0, seeded(3)), 100, 10_000);
		const phases = Array.from({length: 10}, () => 0);
		for (const at of begun) {
			phases[Math.floor((at % periodMs) / periodMs * 10)]++;
		}

		// 1,000 each: five standard deviations and some for samples that follow one another.
		expect(Math.min(...phases)).toBeGreaterThan(800);
		expect(Math.max(...phases)).toBeLessThan(1200);
	},
);

test('what cannot be kept is late, once for each deadline, and is not made up for', () => {
	const clock = new SamplingClock(0, () => 0.5);
	const begun = simulate(clock, 100, 6, sample => sample === 1 ? 1030 : 0);
	// Deadlines 200 to 1,000 passed during the second sample; the one of 1,100 is late by 30 ms.
	expect(begun).toEqual([0, 100, 1130, 1200, 1300, 1400]);
	expect(clock.late).toBe(10);
});
