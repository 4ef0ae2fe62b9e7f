/*
Whether tasks are counted exactly and their times are as they are: a hundred thousand tasks that measure themselves (three
kinds in a pool, a fork/join tree, futures with what follows them), followed by the probe executors, after a first round of
the same that warms the code up. On every JDK found, or those of the releases named.
*/
import path from 'node:path';
import process from 'node:process';
import {type JavaProcess, jdks, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {until} from '../test/helpers/until.js';
import type {TaskReport} from '../source/model/tasks/report.js';
import {readProbe} from '../source/probes/library.js';
import {taskRows} from '../source/query/tasks/stays.js';
import {TaskSession} from '../source/tracing/tasks/session.js';

const waitMs = 300_000;
const limits = {most: 400_000, periodMs: 100};
/** In the pool, in the tree, and futures, each of which is two tasks. */
const warming = {pool: 150_000, tree: 60_000, futures: 30_000, spinNs: 1000};
const counted = {pool: 60_000, tree: 20_000, futures: 10_000, spinNs: 150_000};
/**
Up to JDK 21 a JVM stops its threads each second, needed or not. One that lost its CPU in the middle of a task finds that
out just behind the program's last look at the clock, and waits there for all others.
*/
const jvmArgs = ['-Xmx512m', '-XX:+IgnoreUnrecognizedVMOptions', '-XX:+UnlockDiagnosticVMOptions', '-XX:GuaranteedSafepointInterval=0'];
type Round = typeof counted;
type Times = ReadonlyArray<readonly [kind: string, state: string, ns: number]>;

const releases = process.argv.slice(2).map(Number);

async function say(java: JavaProcess, line: string): Promise<string> {
	const from = java.output().length;
	java.child.stdin!.write(`${line}\n`);
	await until(() => java.output().slice(from).includes(`done ${line}\n`), waitMs);
	return java.output().slice(from);
}

/** What the program says: how often tasks of each kind were in each state, and for how long. */
async function played(java: JavaProcess, {pool, tree, futures, spinNs}: Round): Promise<{readonly counts: Record<string, number>; readonly times: Times}> {
	const said = [await say(java, `pool ${pool} ${spinNs}`), await say(java, `fork ${tree} ${spinNs}`), await say(java, `follow ${futures}`)].join('');
	const pools = [...said.matchAll(/^pool (\w+) (\d+) (\d+) (\d+)$/gm)].map(([, kind, ...figures]) => [kind, ...figures.map(Number)] as const);
	const [nodes, joins] = /^fork Node (.*)$/m.exec(said)![1].split(' ').map(Number);
	const [queued, running, joining] = /^forked (.*)$/m.exec(said)![1].split(' ').map(Number);
	const counts: Record<string, number> = {};
	const expect = (kind: string, states: Readonly<Record<string, number>>) => {
		for (const [state, count] of Object.entries(states)) {
			counts[`${kind} ${state}`] = count;
		}
	};

	for (const [kind, count] of pools) {
		expect(kind, {queued: count, running: count, done: count});
	}

	expect('Node', {queued: nodes, running: nodes + joins, children: joins, done: nodes});
	expect('Follower', {dependencies: futures, queued: futures, running: futures, done: futures});
	expect('After', {dependencies: futures, running: futures, done: futures});
	return {
		counts,
		times: [
			...pools.flatMap(([kind, , queuedNs, runningNs]) => [
				[kind, 'queued', queuedNs],
				[kind, 'running', runningNs],
			] as const),
			['Node', 'queued', queued],
			['Node', 'running', running],
			['Node', 'children', joining],
			['Follower', 'dependencies', Number(/^follow Follower \d+ (\d+)$/m.exec(said)![1])],
		],
	};
}

/** What we say of the same since the baseline. */
function followed(report: TaskReport, baseline: TaskReport | undefined): Record<string, {readonly count: number; readonly ns: number}> {
	return Object.fromEntries(taskRows(report, baseline, 'kind').filter(({count}) => count > 0).map(({state, kind, count, totalNs}) => [`${kind.replace('KnownTasks$', '')} ${state.id}`, {count, ns: totalNs}]));
}

/** Which of the two counts differ. */
function differences(counts: Readonly<Record<string, number>>, found: ReturnType<typeof followed>): string[] {
	return [...new Set([...Object.keys(counts), ...Object.keys(found)])]
		.filter(key => counts[key] !== found[key]?.count)
		.map(key => `${key} ${found[key]?.count ?? 0} for ${counts[key] ?? 0}`);
}

for (const jdk of jdks().filter(({release}) => releases.length === 0 || releases.includes(release))) {
	const java = await startJava('KnownTasks', {jdk, jvmArgs});
	try {
		const session = await TaskSession.begin(await targetOf(java), readProbe(path.resolve('probes/executors.jsonc')), limits, path.resolve('agent/agent.jar'));
		const warm = await played(java, warming);
		await until(() => differences(warm.counts, followed(session.read()!, undefined)).length === 0, waitMs);
		const baseline = session.read()!;
		const {counts, times} = await played(java, counted);
		const report = (await session.close())!;
		const found = followed(report, baseline);
		const wrong = differences(counts, found);
		const tasks = Object.entries(counts).filter(([key]) => key.endsWith(' done')).reduce((sum, [, count]) => sum + count, 0);
		console.log(`JDK ${jdk.release}: ${tasks} tasks, of which ${wrong.length === 0 ? 'each was counted in each state' : `not as expected: ${wrong.join('; ')}`}; dropped ${report.dropped}, missed ${report.missed}, not followed ${report.skipped}${report.notes.map(note => `; ${note}`).join('')}`);
		console.table(times.map(([kind, state, ns]) => {
			const ours = found[`${kind} ${state}`]?.ns ?? 0;
			return {
				kind, state, 'tprof-top ms': Number((ours / 1e6).toFixed(1)), 'program ms': Number((ns / 1e6).toFixed(1)), '%': Number(((ours / ns * 100) - 100).toFixed(3)), 'more ns a stay': Math.round((ours - ns) / found[`${kind} ${state}`].count),
			};
		}));
	} finally {
		await java.stop();
	}
}
