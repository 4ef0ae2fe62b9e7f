/*
Whether tracing tells times as they are: calls of 150 us, the first ones, which run code that is not compiled yet, and
later ones; of one thread, then of eight, which take the CPU from each other. The program looks at its own clock around
each call and within it, at its first instruction and its last: what is traced lies between the two. On every JDK
found, or those of the releases named.
*/
import path from 'node:path';
import process from 'node:process';
import {jdks, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {until} from '../test/helpers/until.js';
import {traceMethods} from '../source/query/traces/methods.js';
import {TraceSession} from '../source/tracing/session.js';

const parts: ReadonlyArray<{readonly title: string; readonly threads: number; readonly count: number}> = [
	{title: 'first calls', threads: 1, count: 500},
	{title: 'next ones', threads: 1, count: 7500},
	{title: 'later ones', threads: 1, count: 8000},
	{title: 'later ones of eight threads', threads: 8, count: 1000},
];
const waitMs = 300_000;
const releases = process.argv.slice(2).map(Number);

function percentBeside(ns: number, clockNs: number): string {
	return `${((ns / clockNs * 100) - 100).toFixed(2)} %`;
}

/** Time of all calls, when so many have been reported. */
async function timeOf(session: TraceSession, calls: number): Promise<number> {
	let ns = 0;
	await until(() => {
		const [row] = traceMethods(session.read()!, undefined);
		ns = row.cumulativeNs;
		return row.calls === calls;
	}, waitMs);
	return ns;
}

for (const jdk of jdks().filter(({release}) => releases.length === 0 || releases.includes(release))) {
	const java = await startJava('KnownTraces', {jdk, jvmArgs: ['-Xmx256m'], args: ['quiet']});
	try {
		const session = await TraceSession.open(await targetOf(java), path.resolve('agent/agent.jar'));
		await session.weave({
			patterns: ['KnownTraces#spell'], under: [], leastNs: 0, keep: 5, maxMethods: 500, maxOverheadPercent: 100, periodMs: 200,
		});
		const texts: string[] = [];
		let [calls, tracedNs] = [0, 0];
		for (const {title, threads, count} of parts) {
			const before = java.output().length;
			java.child.stdin!.write(`spells ${count} ${threads}\n`);
			await until(() => java.output().slice(before).includes(`done spells ${count} ${threads}\n`), waitMs);
			const [, around, within] = /^spelled (\d+) (\d+)$/m.exec(java.output().slice(before))!.map(Number);
			calls += threads * count;
			const allNs = await timeOf(session, calls);
			const ns = allNs - tracedNs;
			tracedNs = allNs;
			texts.push(`${threads * count} ${title} ${percentBeside(ns, around)} beside the clock around, ${percentBeside(ns, within)} within`);
		}

		await session.close();
		console.log(`JDK ${jdk.release}: ${texts.join('; ')}`);
	} finally {
		await java.stop();
	}
}
