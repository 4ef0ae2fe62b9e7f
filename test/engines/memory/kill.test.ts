import {beforeAll, describe, expect, test} from 'vitest';
import {timerIds} from '../../../source/engines/common/engine.js';
import {isNewestOrAskedFor, type Jdk, jdks, nice} from '../../helpers/jvm.js';
import {killTool} from '../../helpers/kill-tool.js';
import {seeded} from '../../helpers/random.js';
import {startStress, type StressProcess} from '../../helpers/stress.js';

/** Kills for each JDK; `npm run bench -- memory-kill` makes fifty. */
const kills = 4;

/** Within the tool's first report and the one after. */
const latestMs = 400;

describe.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))('JDK $release', (jdk: Jdk) => {
	let target: StressProcess;

	beforeAll(async () => {
		// The tool goes first: it samples more in the time it has, and the kill comes where it is at work.
		target = await startStress(2, {jdk, jvmArgs: ['-Xmx256m'], under: nice});
		return async () => target.stop();
	});

	test('a target whose profiler is killed goes on, untraced and unharmed', async () => {
		const random = seeded(jdk.release);
		for (let kill = 0; kill < kills; kill++) {
			const before = await target.check();
			const {heldAfter, threads} = await killTool(target.pid, random() * latestMs, timerIds[kill % timerIds.length]);
			expect(threads).toBeGreaterThan(14);
			expect(heldAfter).toBe(0);
			// Twice: the second answer shows that work went on after the kill.
			const atKill = await target.check();
			expect(atKill.rounds).toBeGreaterThan(before.rounds);
			const after = await target.check();
			expect(after.rounds).toBeGreaterThanOrEqual(atKill.rounds);
			expect(after.failures).toBe(0);
		}
	});
});
