/*
How long the s key keeps the main thread: the snapshot as pprof, in milliseconds of CPU time of this process, medians.
Sizes as in `query`.
*/
import process from 'node:process';
import {writePprof} from '../source/exports/pprof/write.js';
import {median} from './support/figures.js';
import {makeSnapshots} from './support/snapshots.js';

const rounds = 11;

for (const wanted of [5000, 50_000]) {
	const {snapshot} = makeSnapshots(wanted);
	const times: number[] = [];
	let bytes = 0;
	for (let round = 0; round < rounds; round++) {
		const before = process.cpuUsage();
		bytes = writePprof(snapshot, '1.2.3').length;
		const {user, system} = process.cpuUsage(before);
		times.push((user + system) / 1000);
	}

	process.stdout.write(`${snapshot.facts.count} facts: ${median(times).toFixed(0)} ms (the first ${times[0].toFixed(0)} ms), ${bytes} bytes\n`);
}
