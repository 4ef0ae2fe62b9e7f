/*
Resident memory of the built program in a pseudo-terminal on 200 threads x 50 frames, a line a minute: `npm run bench --
rss` for ten minutes, `-- rss 30` for thirty. Also the slope from the first minute on (least squares over a reading a
second). Target: below 160 MB, and flat.
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {median, printFigures, slopePerMinute} from './support/figures.js';
import {residentBytes} from './support/process-cpu.js';
import {
	buildProgram, depth, quit, sampling, startManyThreads, startTerminal, threads,
} from './support/program.js';

const minutes = Number(process.argv[2] ?? 10);
const goalMb = 160;
/**
A rise that would be a tenth of the goal in half an hour; readings alone differ by some megabytes as garbage comes and
goes.
*/
const goalMbPerMinute = 0.5;
const mega = 1024 * 1024;

async function main(): Promise<void> {
	const cli = buildProgram();
	const {java, release, done} = await startManyThreads();
	const terminal = startTerminal(cli, [String(java.pid), ...sampling]);
	try {
		console.log(`JDK ${release}, Node ${process.versions.node}, ${threads} threads x ${depth} frames, ${sampling.join(' ')}, 80 x 24`);
		await terminal.until('ManyThreads');
		const startMs = performance.now();
		const readings: number[] = [];
		for (let second = 1; second <= minutes * 60; second++) {
			await sleep(Math.max(0, startMs + (second * 1000) - performance.now()));
			readings.push(residentBytes(terminal.pid) / mega);
			if (second % 60 === 0) {
				const last = readings.slice(-60);
				console.log(`minute ${String(second / 60).padStart(3)}: ${median(last).toFixed(1)} MB (${Math.min(...last).toFixed(1)} to ${Math.max(...last).toFixed(1)})   ${/samples \d+/.exec(terminal.text())?.[0] ?? ''}`);
			}
		}

		await quit(terminal);
		const later = readings.slice(60);
		printFigures([
			{
				what: 'RSS, greatest', value: Math.max(...readings), unit: 'MB', below: goalMb, of: `${readings.length} readings`,
			},
			...(later.length > 0
				? [{
					what: 'slope after the first minute', value: slopePerMinute(later), unit: 'MB a minute', below: goalMbPerMinute, of: `${later.length} readings`,
				}]
				: []),
		]);
	} finally {
		terminal.close();
		await done();
	}
}

await main();
