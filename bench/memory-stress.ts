/*
The memory engine at 100 Hz on a target that does everything at once that moves code, stacks and objects
(test/programs/Stress.java), through the sampler and its table as in real use. To show: the target's own checks pass, we
do not fail, broken stacks stay below 1 % and our memory (RSS, of this process: sampler, counts and a copy of them a
second) is flat. The first number of the command line is minutes for each JDK (default 5), the second a JDK to take
alone.
*/
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {startSampler} from '../source/sampler/handle.js';
import {jdks} from '../test/helpers/jvm.js';
import {startStress} from '../test/helpers/stress.js';
import {targetOf} from '../test/helpers/target.js';
import {median, slopePerMinute} from './support/figures.js';

const minutes = Number(process.argv[2] ?? 5);
const only = Number(process.argv[3] ?? 0);
const intervalMs = 10;
const megabytes = () => process.memoryUsage().rss / 1e6;

const rows = [];
for (const jdk of jdks().filter(({release}) => only === 0 || release === only)) {
	const target = await startStress(1, {jdk, jvmArgs: ['-Xmx256m']});
	try {
		const sampler = startSampler({
			target: await targetOf(target), engine: 'memory', depth: Infinity, maxOverheadPercent: 100, intervalMs, workerUrl: pathToFileURL(path.resolve('dist/worker.js')),
		});
		const startMs = performance.now();
		const readings: number[] = [];
		while (performance.now() - startMs < minutes * 60_000) {
			await sleep(1000);
			sampler.read();
			readings.push(megabytes());
		}

		const snapshot = sampler.read();
		const {phase, message} = sampler.status();
		await sampler.close();
		const {rounds, failures} = await target.check();
		if (!snapshot) {
			throw new Error(`no sample: ${message ?? phase}`);
		}

		const {session} = snapshot;
		process.exitCode = failures > 0 || phase !== 'sampling' ? 1 : process.exitCode;
		rows.push({
			JDK: jdk.release, minutes, phase: message ?? phase, 'samples/s': (session.samples / session.durationMs * 1000).toFixed(1), failed: session.failed,
			'broken stacks %': (100 * session.incompleteStacks / session.threadSamples).toFixed(3), 'target rounds': rounds, 'wrong results': failures,
			'RSS MB, median of each minute': Array.from({length: Math.ceil(readings.length / 60)}, (_, minute) => median(readings.slice(60 * minute, 60 * (minute + 1))).toFixed(0)).join(' '),
			'RSS MB a minute, after the first': slopePerMinute(readings.slice(60)).toFixed(2), 'own CPU %': (100 * session.selfCpuMs / session.durationMs).toFixed(1),
			'stopped %': (100 * session.targetStoppedMs / session.durationMs).toFixed(2), 'pause us p50, p99, worst': [session.pauseP50Us, session.pauseP99Us, session.pauseWorstUs].map(us => us.toFixed(0)).join(', '),
		});
	} finally {
		await target.stop();
	}
}

console.table(rows);
