/*
What a traced call costs the target: a method that calls two others, all three traced, against the same untraced, on
every JDK found, or those of the releases named; medians of ten rounds before, while and after, in CPU time of the
thread. Beside it what a reading of the clock costs, of which such a call needs six.
*/
import path from 'node:path';
import process from 'node:process';
import {type JavaProcess, jdks, startJava, targetOf} from '../test/helpers/jvm.js';
import {until} from '../test/helpers/until.js';
import {TraceSession} from '../source/tracing/trace-session.js';

const rounds = 10;

/** Medians of the next rounds but one, nanoseconds. */
async function next(java: JavaProcess): Promise<{readonly call: number; readonly clock: number}> {
	const from = java.output().length;
	const figures = () => [...java.output().slice(from).matchAll(/^call ([\d.]+) clock ([\d.]+)$/gm)].slice(1);
	await until(() => figures().length >= rounds);
	const median = (which: number) =>
		figures().slice(0, rounds).map(match => Number(match[which])).toSorted((a, b) => a - b)[rounds / 2];
	return {call: median(1), clock: median(2)};
}

const releases = process.argv.slice(2).map(Number);

for (const jdk of jdks().filter(({release}) => releases.length === 0 || releases.includes(release))) {
	const java = await startJava('TraceCost', {jdk, jvmArgs: ['-Xmx384m']});
	try {
		const before = await next(java);
		const session = await TraceSession.open(await targetOf(java), path.resolve('agent/agent.jar'));
		await session.weave({
			patterns: ['TraceCost#outer', 'TraceCost#first', 'TraceCost#second'],
			under: [],
			leastNs: 0,
			keep: 10,
			maxMethods: 10,
			maxOverheadPercent: 100,
			reportIntervalMs: 1000,
			findRunningLoops: undefined,
		});
		await next(java);
		const during = await next(java);
		await session.close();
		await next(java);
		const after = await next(java);
		const costs = during.call - before.call;
		console.log(`JDK ${jdk.release}: ${before.call.toFixed(1)} ns a call untraced, ${during.call.toFixed(0)} traced, ${after.call.toFixed(1)} after; clock ${during.clock.toFixed(1)} ns: ${(costs - (6 * during.clock)).toFixed(0)} ns beyond six readings`);
	} finally {
		await java.stop();
	}
}
