import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {timerIds} from '../../../source/engines/common/engine.js';
import {memoryEngine} from '../../../source/engines/memory/memory-engine.js';
import {Sample} from '../../../source/model/sample.js';
import {closedAfterTest, stoppedAfterTest} from '../../helpers/for-test.js';
import {isNewestOrAskedFor, jdks, nice, targetOf} from '../../helpers/jvm.js';
import {seeded} from '../../helpers/random.js';
import {killTool, startStress} from '../../helpers/stress.js';
import {patienceMs} from '../../helpers/until.js';
import {Names, rowsOf} from '../observe.js';

/** A sample every 3 ms where that can be kept. */
const samples = 300;
const intervalMs = 3;

/** Top frames of a timed wait. At a safepoint the interpreter stops in sleepNanos, before it calls sleepNanos0. */
const timedWaits = /\.(?:sleep|sleep0|sleepNanos|sleepNanos0|wait|wait0|park):/;

test.each(jdks())(
	'JDK $release: exceptions, class unloading, deoptimisation, garbage and short-lived threads: hardly a stack is broken, states go with stacks, and the target is unharmed',
	async jdk => {
		const program = stoppedAfterTest(await startStress(1, {jdk, jvmArgs: ['-Xmx256m'], under: nice}));
		const names = new Names();
		const session = closedAfterTest(await memoryEngine.open(await targetOf(program), {depth: Infinity}, names));
		const sample = new Sample();
		let stacks = 0;
		let broken = 0;
		let failed = 0;
		const asleepAtWork: string[] = [];
		let taken = 0;
		// Where little CPU is left, a part of them tells enough.
		for (const endMs = performance.now() + patienceMs; taken < samples && performance.now() < endMs; taken++) {
			const outcome = await session.sample(sample);
			failed += outcome.ok ? 0 : 1;
			// A thread that got no CPU and so could not be stopped in time has no stack, not a broken one.
			for (
				const {state, frames: [top], isIncomplete} of rowsOf(sample, names).filter(({frames}) =>
					frames.length > 0)
			) {
				stacks++;
				broken += isIncomplete ? 1 : 0;
				if (state === 'TIMED_WAITING' && !timedWaits.test(top)) {
					asleepAtWork.push(top);
				}
			}

			await sleep(intervalMs);
		}

		await session.close();
		const {rounds, failures} = await program.check();
		expect(failures).toBe(0);
		expect(rounds).toBeGreaterThan(0);
		expect(failed).toBeLessThan(samples / 100);
		// Gone from a place and back at it between two looks, asleep in between: no look can tell, and it takes
		// that chance to be seen.
		expect(asleepAtWork.length, asleepAtWork.join('\n')).toBeLessThan(3);
		expect(stacks).toBeGreaterThan(taken * 5);
		expect(broken / stacks).toBeLessThan(0.01);
	},
);

/** Kills for each JDK; `npm run bench -- memory-kill` makes fifty. */
const kills = 4;

/** Within the tool's first report and the one after. */
const latestMs = 400;

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: a target whose profiler is killed goes on, untraced and unharmed',
	async jdk => {
		// The tool goes first: it samples more in the time it has, and the kill comes where it is at work.
		const target = stoppedAfterTest(await startStress(2, {jdk, jvmArgs: ['-Xmx256m'], under: nice}));
		const random = seeded(jdk.release);
		for (let kill = 0; kill < kills; kill++) {
			const before = await target.check();
			const {heldAfter, threads} = await killTool(
				target.pid,
				random() * latestMs,
				timerIds[kill % timerIds.length],
			);
			expect(threads).toBeGreaterThan(14);
			expect(heldAfter).toBe(0);
			// Twice: the second answer shows that work went on after the kill.
			const atKill = await target.check();
			expect(atKill.rounds).toBeGreaterThan(before.rounds);
			const after = await target.check();
			expect(after.rounds).toBeGreaterThanOrEqual(atKill.rounds);
			expect(after.failures).toBe(0);
		}
	},
);
