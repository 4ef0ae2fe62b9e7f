/*
Whether tracing counts exactly and tells times as they are: ten million calls of a program that knows how often each method
was called, in eight threads that end by an exception in the middle, while other methods of the same class are woven and
taken out again; then the time of 8,000 calls of 150 us beside the program's own clock. On every JDK found, or those of the
releases named.
*/
import path from 'node:path';
import process from 'node:process';
import {jdks, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {until} from '../test/helpers/until.js';
import {traceMethods} from '../source/query/traces/methods.js';
import {TraceSession, type TraceRequest} from '../source/tracing/session.js';

const rounds = 100_000;
const spells = 1000;
const warming = 1500;
const waitMs = 300_000;
const releases = process.argv.slice(2).map(Number);
const counted = ['KnownTraces#r*', 'KnownTraces#level', 'KnownTraces#dies', 'KnownTraces$*#area', 'KnownTraces$Made#check'];
const request: TraceRequest = {
	patterns: counted, under: [], leastNs: 0, keep: 5, maxMethods: 500, maxOverheadPercent: 100, periodMs: 1000,
};

function sumOf(values: readonly number[]): number {
	let sum = 0;
	for (const value of values) {
		sum += value;
	}

	return sum;
}

/** What was reported when so many calls had ended. */
async function settled(session: TraceSession, calls: number): Promise<{readonly number: number; readonly ns: number}> {
	let found = {number: 0, ns: 0};
	await until(() => {
		const [row] = traceMethods(session.read()!, undefined);
		found = {number: row.calls, ns: row.cumulativeNs};
		return row.calls === calls;
	}, waitMs);
	return found;
}

for (const jdk of jdks().filter(({release}) => releases.length === 0 || releases.includes(release))) {
	const java = await startJava('KnownTraces', {jdk, jvmArgs: ['-Xmx256m']});
	try {
		const session = await TraceSession.open(await targetOf(java), path.resolve('agent/agent.jar'));
		await session.weave(request);
		const from = java.output().length;
		java.child.stdin!.write(`${rounds}\n`);
		let weavings = 0;
		const isDone = () => java.output().slice(from).includes(`done ${rounds}\n`);
		const deadline = performance.now() + waitMs;
		while (!isDone() && performance.now() < deadline) {
			await session.weave({...request, patterns: [...counted, ...(weavings++ % 2 === 0 ? ['KnownTraces#busy', 'KnownTraces#slow', 'KnownTraces$Made#<init>'] : [])]});
		}

		const report = (await session.close())!;
		const rows = traceMethods(report, undefined);
		const of = (method: string) => {
			const some = rows.filter(row => row.method === method);
			return {calls: sumOf(some.map(({calls}) => calls)), exceptions: sumOf(some.map(({exceptions}) => exceptions))};
		};

		const said = java.output().slice(from);
		const [all, recursions, thrown, made, , shapes] = /^counts (.*)$/m.exec(said)![1].split(' ').map(Number);
		const expected = {
			round: [all, 0], recurse: [recursions, 0], level: [all * 6, thrown * 6], check: [made, all / 5], area: [shapes, 0], dies: [8, 8],
		};
		const wrong = Object.entries(expected).filter(([name, [calls, exceptions]]) => of(name).calls !== calls || of(name).exceptions !== exceptions);
		const calls = sumOf(Object.keys(expected).map(name => of(name).calls));
		const timed = await TraceSession.open(await targetOf(java), path.resolve('agent/agent.jar'));
		await timed.weave({...request, patterns: ['KnownTraces#spell']});
		const spellsBy = async (count: number) => {
			const before = java.output().length;
			java.child.stdin!.write(`spells ${count}\n`);
			await until(() => java.output().slice(before).includes(`done spells ${count}\n`), waitMs);
			const [, spelled] = /^spelled (\d+)$/m.exec(java.output().slice(before))!;
			return Number(spelled);
		};

		const cold = await spellsBy(warming);
		const {number: calls0, ns: coldNs} = await settled(timed, warming * 8);
		const own = await spellsBy(spells);
		const [{cumulativeNs: allNs}] = traceMethods((await timed.close())!, undefined);
		const cumulativeNs = allNs - coldNs;
		console.log(`JDK ${jdk.release}: ${calls} calls of which ${wrong.length === 0 ? 'each was counted' : `not as expected: ${wrong.map(([name, figures]) => `${name} ${JSON.stringify(of(name))} for ${figures.join(' ')}`).join('; ')}`}, ${report.lostCalls} lost, ${weavings} times woven anew meanwhile; ${calls0} spells of cold code ${((coldNs / cold * 100) - 100).toFixed(3)} %; of warm code ${(cumulativeNs / 1e6).toFixed(3)} ms, by the program's clock ${(own / 1e6).toFixed(3)}: ${((cumulativeNs / own * 100) - 100).toFixed(3)} %`);
	} finally {
		await java.stop();
	}
}
