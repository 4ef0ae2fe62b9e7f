/*
Resident memory of the built program in a pseudo-terminal on 200 threads x 50 frames, a line a minute: `npm run bench --
rss` for ten minutes, `-- rss 30` for thirty. Also the slope from the first minute on (least squares over a reading a
second). Target: below 160 MB, and flat. With `-- rss 60 1000` a hundred threads take new names each 1,000
ms, which are on the screen, by the memory engine unless TPROF_BENCH_ENGINE says another: below 1 MB an hour from the
tenth minute on.
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {median, printFigures, slopePerMinute} from './support/figures.js';
import {residentBytes} from './support/process-cpu.js';
import {
	buildProgram, depth, quit, sampling, startJava, startManyThreads, startTerminal, threads,
} from './support/program.js';

const minutes = Number(process.argv[2] ?? 10);
const renamedMs = Number(process.argv[3] ?? 0);
const isOfNames = renamedMs > 0;
const goalMb = 160;
/**
A rise that would be a tenth of the goal in half an hour; readings alone differ by some megabytes as garbage comes and
goes.
*/
const goalMbPerMinute = 0.5;
/**
The same with new names all the time, an hour; after the minutes in which the heap finds its size, and the ring is
filled.
*/
const goalMbPerHour = 1;
const settledMinutes = 10;
const mega = 1024 * 1024;

async function main(): Promise<void> {
	const cli = buildProgram();
	const {java, release, done} = isOfNames ? await startJava('NewNames', [100, renamedMs]) : await startManyThreads();
	const options = isOfNames
		? ['--engine', process.env.TPROF_BENCH_ENGINE ?? 'memory', '--view', 'threads']
		: sampling;
	const terminal = startTerminal(cli, [String(java.pid), ...options]);
	try {
		const target = isOfNames
			? `100 threads with new names each ${renamedMs} ms`
			: `${threads} threads x ${depth} frames`;
		console.log(`JDK ${release}, Node ${process.versions.node}, ${target}, ${options.join(' ')}, 80 x 24`);
		await terminal.until(isOfNames ? 'request of customer' : 'ManyThreads');
		if (isOfNames) {
			// Each thread is a row.
			terminal.type('l');
		}

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
		const settled = readings.slice(settledMinutes * 60);
		printFigures([
			{
				what: 'RSS, greatest',
				value: Math.max(...readings),
				unit: 'MB',
				below: goalMb,
				of: `${readings.length} readings`,
			},
			...(isOfNames && settled.length > 0
				? [{
					what: `slope after ${settledMinutes} minutes`,
					value: 60 * slopePerMinute(settled),
					unit: 'MB an hour',
					below: goalMbPerHour,
					of: `${settled.length} readings`,
				}]
				: []),
			...(later.length > 0
				? [{
					what: 'slope after the first minute',
					value: slopePerMinute(later),
					unit: 'MB a minute',
					below: goalMbPerMinute,
					of: `${later.length} readings`,
				}]
				: []),
		]);
	} finally {
		terminal.close();
		await done();
	}
}

await main();
