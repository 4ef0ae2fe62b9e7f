import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import type {EngineSession, SampleOutcome} from '../../source/engines/common/engine.js';
import type {Sample} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import {SamplingLoop} from '../../source/sampler/loop.js';
import {monotonicMs} from '../../source/util/steady-clock.js';
import {Bell, acquireLock, releaseLock} from '../../source/table/lock.js';
import {createTable, tableHeader} from '../../source/table/table-layout.js';
import {TableReader} from '../../source/table/table-reader.js';
import {TableWriter} from '../../source/table/writer.js';
import {countedIn} from '../helpers/sampling.js';
import {sum} from '../helpers/sum.js';

const table = () => {
	const buffer = createTable();
	return {
		words: tableHeader(buffer),
		writer: new TableWriter(buffer),
		reader: new TableReader(buffer),
		bell: new Bell(buffer),
		door: new Bell(buffer),
	};
};

/**
A session of one thread that uses a millisecond of CPU between samples; `before` is called before each with its number.
*/
function steady(before: (sample: number) => void, hasTimers = false): EngineSession {
	let samples = 0;
	return {
		async sample(into: Sample): Promise<SampleOutcome> {
			into.clear();
			before(++samples);
			const row = into.addThread(1, 100, safe`main`);
			into.state[row] = samples % 2 === 0 ? stateCode.RUNNABLE : stateCode.WAITING;
			into.cpuNs[row] = 1e6;
			into.addFrame(1);
			into.isObservation = true;
			into.isObserved[row] = Number(into.state[row] === stateCode.RUNNABLE);
			const skippedThreads = {refused: 2, late: 1};
			return {ok: true, pauseUs: 1, stoppedMs: 0, atMs: Date.now(), skippedThreads, hasTimers};
		},
		async release() {
			// It holds nothing.
		},
		async close() {
			// It has nothing.
		},
	};
}

test('CPU time of a sample that could not be counted counts with the next one, and threads that were skipped are counted', async () => {
	const {words, writer, reader} = table();
	const troubles: string[] = [];
	const loop = new SamplingLoop({
		session: steady(sample => {
			if (sample === 3) {
				acquireLock(words, 1000);
			} else if (sample === 7) {
				loop.stop();
			}
		}), writer, intervalMs: 1, maxOverheadPercent: 100, report(report) {
			if (report.kind === 'status' && report.status.note) {
				troubles.push(report.status.note);
			}
		},
	});
	// The writer gives up after a second, within a sample's turn; whoever held the lock lets go after it.
	const release = setInterval(() => {
		if (words[0] !== 0) {
			releaseLock(words);
		}
	}, 1);
	await loop.run();
	clearInterval(release);
	const {figures, threads, counters} = reader.read(1000)!;
	expect(troubles[0]).toBe('sampling fails: the table of samples was locked for too long');
	expect(figures.failed).toBeGreaterThan(0);
	expect(figures).toMatchObject({samples: 7 - figures.failed, refusedThreads: 14, lateThreads: 7});
	expect(threads.cpuNs[0]).toBe(7e6);
	expect(sum(counters.cpuNs)).toBeCloseTo(7e6, 0);
});

test('figures of the engine come every second, also if a reading had to wait for a CPU', async () => {
	const {writer} = table();
	let readings = 0;
	let samples = 0;
	const loop = new SamplingLoop({
		session: {
			...steady(sample => {
				samples = sample;
			}),
			readFigures() {
				const untilMs = performance.now() + 600;
				while (performance.now() < untilMs) {
					// As if others had the CPU.
				}

				return {directBytes: ++readings};
			},
		}, writer, intervalMs: 20, maxOverheadPercent: 100, report(report) {
			if (report.kind === 'figures' && report.figures.directBytes === 2) {
				loop.stop();
			}
		},
	});
	await loop.run();
	expect(readings).toBe(2);
	// In a second there are some fifty.
	expect(samples).toBeLessThan(1000);
});

test('timers of an engine run between two samples', async () => {
	const {writer, bell} = table();
	let ran = 0;
	let timer: NodeJS.Timeout | undefined;
	const loop = new SamplingLoop({
		session: steady(sample => {
			// The event loop gets a turn before the first sample, and every half second anyway.
			if (sample === 2) {
				timer = setInterval(() => {
					ran++;
				}, 1);
			} else if (sample === 6) {
				loop.stop();
			}
		}, true), writer, bell, intervalMs: 20, maxOverheadPercent: 100, report: () => undefined,
	});
	await loop.run();
	clearInterval(timer);
	expect(ran).toBeGreaterThan(0);
});

test('asleep by its bell it hears messages when that is rung, and now and then without', async () => {
	for (const isRung of [true, false]) {
		const {writer, bell, door} = table();
		let samples = 0;
		const loop = new SamplingLoop({
			session: steady(sample => {
				samples = sample;
				if (sample === 3) {
					setImmediate(() => {
						loop.stop();
					});
					if (isRung) {
						door.ring();
					}
				}
			}), writer, bell, intervalMs: 20, maxOverheadPercent: 100, report: () => undefined,
		});
		await loop.run();
		// The next sample may be due by the time that it has heard.
		expect(samples).toBeLessThanOrEqual(isRung ? 4 : 60);
		expect(samples).toBeGreaterThanOrEqual(3);
	}
});

test('ticks are time: costly samples, which are rarer, count for the time that they cover', async () => {
	const {writer, reader} = table();
	const phaseMs = 1500;
	let [startMs, lastMs] = [0, 0];
	const passed = {blockedMs: 0, waitingMs: 0};
	let longestMs = 0;
	const session = steady(() => undefined);
	const loop = new SamplingLoop({
		session: {
			...session,
			async sample(into: Sample, isAfterPause: boolean): Promise<SampleOutcome> {
				const outcome = await session.sample(into, isAfterPause);
				const nowMs = monotonicMs();
				startMs ||= nowMs;
				const isBlocked = nowMs - startMs < phaseMs;
				into.state[0] = isBlocked ? stateCode.BLOCKED : stateCode.WAITING;
				passed[isBlocked ? 'blockedMs' : 'waitingMs'] += nowMs - (lastMs || nowMs);
				longestMs = Math.max(longestMs, nowMs - (lastMs || nowMs));
				lastMs = nowMs;
				if (nowMs - startMs >= 2 * phaseMs) {
					loop.stop();
				}

				// As if the target had been stopped for a millisecond while it was blocked.
				return {...outcome, stoppedMs: isBlocked ? 1 : 0.05};
			},
		}, writer, intervalMs: 2, maxOverheadPercent: 5, report: () => undefined,
	});
	await loop.run();
	const image = reader.read(1000)!;
	const {figures} = image;
	const [blocked, waiting] = [stateCode.BLOCKED, stateCode.WAITING].map(wanted =>
		sum(countedIn(image).map(({state, ticks}) => state === wanted ? ticks : 0)));
	// A tick is two milliseconds; far fewer samples were taken while it was blocked.
	expect(figures.sampleTicks).toBe(blocked + waiting);
	expect(figures.samples).toBeLessThan(figures.sampleTicks * 0.9);
	// The time by which a sample is late counts for the next one: at either end of a phase that is another phase's.
	expect(Math.abs((2 * blocked) - passed.blockedMs)).toBeLessThan((0.1 * phaseMs) + (2 * longestMs));
	expect(Math.abs((2 * waiting) - passed.waitingMs)).toBeLessThan((0.1 * phaseMs) + (2 * longestMs));
});
