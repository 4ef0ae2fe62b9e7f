/*
What becomes of a target when the tool is killed at random moments (SIGKILL, fifty times, sampling as fast as it can
with busy threads): none of its threads may stay stopped or traced, its work goes on, and its own checks pass. The first
number of the command line is the number of kills.
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {jdks} from '../test/helpers/jvm.js';
import {killTool, startStress} from '../test/helpers/stress.js';

const kills = Number(process.argv[2] ?? 50);
const rows = [];
for (const jdk of jdks()) {
	const target = await startStress(2, {jdk, jvmArgs: ['-Xmx256m']});
	try {
		let heldBefore = 0;
		let heldAfter = 0;
		let stuck = 0;
		for (let kill = 0; kill < kills; kill++) {
			const outcome = await killTool(target.pid, Math.random() * 400, kill % 2 === 0 ? 'perf' : 'stop');
			heldBefore += outcome.heldBefore > 0 ? 1 : 0;
			heldAfter += outcome.heldAfter;
			const {rounds} = await target.check();
			await sleep(50);
			const {rounds: later} = await target.check();
			stuck += later > rounds ? 0 : 1;
		}

		const {rounds, failures} = await target.check();
		rows.push({
			JDK: jdk.release,
			kills,
			'with threads held just before': heldBefore,
			'threads held after': heldAfter,
			'work stood still': stuck,
			'rounds checked': rounds,
			'wrong results': failures,
		});
		process.exitCode = heldAfter + stuck + failures > 0 ? 1 : process.exitCode;
	} finally {
		await target.stop();
	}
}

console.table(rows);
