/*
A program that starts a thread for each task, a hundred a second (test/programs/BlockedTasks.java), for an hour, or for
a number of minutes: `npm run bench -- thread-per-task 3`. The built program looks at it twice: in a pseudo-terminal,
and as reports of a minute each. A line a minute: resident memory of both, and what the report says: the newest task
among the threads (and how many had been started by then), the share of thread samples at "(other)", who holds the
Ledger and how many tasks waited for it. Targets: memory flat from the tenth minute on, names and holder right in each
report.
*/
import {spawn} from 'node:child_process';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {printFigures, slopePerMinute} from './support/figures.js';
import {residentBytes} from './support/process-cpu.js';
import {buildProgram, quit, startJava, startTerminal} from './support/program.js';

type Report = {
	readonly threadSamples: number;
	readonly threads: ReadonlyArray<{readonly name: string; readonly ticks: number}>;
	readonly blockers: ReadonlyArray<
		{
			readonly lock: string;
			readonly holder: string | null;
			readonly waiters: ReadonlyArray<{readonly thread: string}>;
		}
	>;
};

const minutes = Number(process.argv[2] ?? 60);
const perSecond = Number(process.argv[3] ?? 100);
/** Tasks may have been started since the report's last sample. */
const toleratedS = 3;
const settledMinutes = 10;
const goalMbPerHour = 5;
const mega = 1024 * 1024;

function numberOf(name: string): number {
	return Number(/^task-(\d+)$/.exec(name)?.[1] ?? -1);
}

async function main(): Promise<void> {
	const cli = buildProgram();
	const {java, release, done} = await startJava('BlockedTasks', [perSecond]);
	console.log(`JDK ${release}, Node ${process.versions.node}, ${perSecond} threads a second, ${minutes} minutes`);
	const terminal = startTerminal(cli, [String(java.pid), '--view', 'threads']);
	const batch = spawn(process.execPath, [
		cli,
		String(java.pid),
		'--batch',
		'--view',
		'blockers',
		'--format',
		'json',
		'--delay',
		'60',
		'--iterations',
		String(minutes),
		'--top',
		'100000',
	], {stdio: ['ignore', 'pipe', 'inherit']});
	const [ofTerminal, ofReports, wrong]: [number[], number[], string[]] = [[], [], []];
	try {
		let minute = 0;
		for await (const line of createInterface({input: batch.stdout})) {
			minute++;
			const report = JSON.parse(line.replaceAll(/^\[|[,\]]+$/g, '')) as Report;
			const started = Number([...java.output().matchAll(/^started (\d+)$/gm)].at(-1)![1]);
			const newest = Math.max(...report.threads.map(({name}) => numberOf(name)));
			const other = report.threads.filter(({name}) => name === '(other)').reduce(
				(sum, {ticks}) => sum + ticks,
				0,
			);
			const holders = report.blockers.filter(({lock, holder}) => lock.endsWith('Ledger') && holder).map(({holder}) => holder);
			const waiters = report.blockers.flatMap(row =>
				row.holder === 'keeper' ? row.waiters : []).filter(({thread}) => numberOf(thread) >= 0).length;
			ofTerminal.push(residentBytes(terminal.pid) / mega);
			ofReports.push(batch.exitCode === null ? residentBytes(batch.pid!) / mega : ofReports.at(-1) ?? 0);
			const isRight = started - newest <= toleratedS * perSecond && other === 0 && holders[0] === 'keeper'
				&& waiters > 0;
			const text = `minute ${String(minute).padStart(3)}: screen ${ofTerminal.at(-1)!.toFixed(1)} MB, reports ${ofReports.at(-1)!.toFixed(1)} MB   newest task-${newest} of ${started}, (other) ${(100 * other / report.threadSamples).toFixed(1)}%, Ledger held by ${holders.join(', ')}, ${waiters} tasks waited: ${isRight ? 'right' : 'WRONG'}`;
			console.log(text);
			if (!isRight) {
				wrong.push(text);
			}
		}

		await quit(terminal);
		// A reading a minute: the slope per sixty readings is that of an hour.
		const settled = ofTerminal.slice(settledMinutes);
		printFigures([
			{
				what: 'reports that were wrong',
				value: wrong.length,
				unit: '',
				below: 1,
				of: `${ofTerminal.length} reports`,
			},
			{
				what: 'RSS of the screen, greatest',
				value: Math.max(...ofTerminal),
				unit: 'MB',
				of: `${ofTerminal.length} readings`,
			},
			...(settled.length > 1
				? [{
					what: `slope after ${settledMinutes} minutes`,
					value: slopePerMinute(settled),
					unit: 'MB an hour',
					below: goalMbPerHour,
					of: `${settled.length} readings`,
				}]
				: []),
		]);
	} finally {
		terminal.close();
		batch.kill();
		await done();
	}
}

await main();
