/*
Whether tracing counts exactly and tells times as they are: ten million calls of a program that knows how often each method
was called, in eight threads that end by an exception in the middle, while other methods of the same class are woven and
taken out again. On every JDK found, or those of the releases named.
*/
import path from 'node:path';
import process from 'node:process';
import {jdks, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {traceMethods} from '../source/query/traces/methods.js';
import {TraceSession, type TraceRequest} from '../source/tracing/session.js';

const rounds = 100_000;
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
		console.log(`JDK ${jdk.release}: ${calls} calls of which ${wrong.length === 0 ? 'each was counted' : `not as expected: ${wrong.map(([name, figures]) => `${name} ${JSON.stringify(of(name))} for ${figures.join(' ')}`).join('; ')}`}, ${report.lostCalls} lost, ${weavings} times woven anew meanwhile`);
	} finally {
		await java.stop();
	}
}
