import {readdirSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import type {TraceReport} from '../../source/model/trace-report.js';
import {tracedMethodName, traceMethods, traceTree, threadTrees} from '../../source/views/traces/traced-methods.js';
import {TraceSession, type TraceRequest} from '../../source/tracing/trace-session.js';
import {classIn, request, traced} from '../helpers/tracing.js';
import {jdks, sayTo} from '../helpers/jvm.js';
import {openFiles, threadsNamed} from '../helpers/proc.js';
import {until, untilAsync, patienceMs} from '../helpers/until.js';
import {sharedJava} from '../helpers/for-test.js';
import {AttachClient} from '../../source/jvm/attach/client.js';

const rounds = 600;

/** Calls and exceptions by the simple name of class and method. */
function countsOf(report: TraceReport): Record<string, [number, number]> {
	const counts: Record<string, [number, number]> = {};
	for (const row of traceMethods(report, undefined)) {
		const name = tracedMethodName(row).replace('KnownTraces', '').replace(/^[$.]/, '');
		const [calls, exceptions] = counts[name] ?? [0, 0];
		counts[name] = [calls + row.calls, exceptions + row.exceptions];
	}

	return counts;
}

/** Calls of each node, added up over threads. */
function callsByThreads({nodes, byThread}: TraceReport): number[] {
	const calls = [...nodes.calls].fill(0);
	for (const {node, calls: count} of byThread.flatMap(({paths}) => paths)) {
		calls[node] += count;
	}

	return calls;
}

/** What is left of us in the process: threads and open files, but for the jar that the JVM itself keeps open. */
function leftIn(pid: number): string[] {
	const files = [...openFiles(pid).values()].filter(file =>
		file.includes('.tprof-') && !file.endsWith('agent.jar (deleted)'));
	return [...threadsNamed(pid, /^tprof-top$/).map(tid => `thread ${tid}`), ...files];
}

describe.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (release, jdk) => {
	const shared = sharedJava('KnownTraces', {jdk, jvmArgs: ['-Xmx1g'], under: []});
	const say = async (...lines: readonly string[]) => sayTo(shared.java, ...lines);
	const tracedWhile = async (change: Partial<TraceRequest>, during: (session: TraceSession) => Promise<unknown>) =>
		traced(shared.target, change, during);

	async function histogram(): Promise<string> {
		const reply = await new AttachClient(shared.target).request('inspectheap', ['-live'], {timeoutMs: patienceMs});
		const text = reply.status === 'ok' ? reply.bytes.toString() : '';
		expect(text).toContain('KnownTraces');
		return text;
	}

	test('counts every call and every exception, and leaves all as it was', async () => {
		const before = await classIn(shared.target, 'KnownTraces', jdk);
		let said = '';
		const report = await tracedWhile(
			{patterns: ['KnownTraces#*', 'KnownTraces$*#*', 'KnownTraces$Made#<init>']},
			async () => {
				said = await say(String(rounds));
			},
		);
		const [allRounds, recursions, thrown, made, failedMade, shapes] = /^counts (.*)$/m.exec(said)![1].split(' ')
			.map(Number);
		const threads = 8;
		expect(report.refused).toEqual([]);
		const {busy, run, main, ...counts} = countsOf(report);
		expect(counts).toMatchObject({
			round: [allRounds, 0],
			recurse: [recursions, 0],
			// Through five levels and the one that throws.
			level: [allRounds * 6, thrown * 6],
			// Those that throw before the other constructor is called too.
			'Made.<init>': [made + (made - (allRounds / 5)), failedMade + (failedMade - (allRounds / 5))],
			'Made.check': [made, allRounds / 5],
			'Square.area': [shapes / 2, 0],
			'Line.area': [shapes / 2, 0],
			// Each ends its thread.
			dies: [threads, threads],
		});
		expect(busy[0]).toBeGreaterThan(0);
		expect(report).toMatchObject({lostCalls: 0, phase: 'over'});
		expect(callsByThreads(report)).toEqual([...report.nodes.calls]);

		const after = await classIn(shared.target, 'KnownTraces', jdk);
		expect(after).toBe(before);
		await until(() => leftIn(shared.target.pid).length === 0);
		// A histogram of what lives is taken after a full collection, which takes class loaders away that nothing
		// refers to.
		await untilAsync(async () => !/tprof\.(?:agent|stub\.JarLoader)/.test(await histogram()));
		expect(readdirSync('/tmp').filter(name =>
			name.startsWith(`.tprof-${shared.target.pid}.`) && !name.endsWith('.partial'))).toEqual([]);
	});

	test('the tree has the ways of calls; times are those of the program; the slowest traces are whole', async () => {
		const report = await tracedWhile(
			{patterns: ['KnownTraces.slow', 'KnownTraces.r*'], leastNs: 50e6},
			async () => say('slow', '7'),
		);
		const slow = traceMethods(report, undefined).find(({method}) => method === 'slow')!;
		expect(slow.calls).toBe(1);
		expect(slow.meanNs).toBeGreaterThanOrEqual(120e6);
		expect(slow.p50Ns).toBe(slow.mostNs);
		const trace = report.slowest.find(({actions}) => actions[0].method === slow.id);
		expect(trace).toMatchObject({
			thread: 'main',
			durationNs: slow.mostNs,
			droppedActions: 0,
			actions: [{kind: 'START', atNs: 0}, {kind: 'END', atNs: slow.mostNs}],
		});
		expect(report.slowest.every(({durationNs}) => durationNs >= 50e6)).toBe(true);
		const round = traceTree(report, undefined).find(({method}) =>
			method === 'run')?.children.find(({method}) => method === 'round') ?? traceTree(report, undefined).find(({method}) =>
			method === 'round')!;
		const depths = [];
		for (let row = round.children.find(({method}) => method === 'recurse'); row; row = row.children[0]) {
			depths.push(row.calls / 8);
		}

		// Round N of 0 to 6 recurses N times.
		expect(depths).toEqual([7, 6, 5, 4, 3, 2, 1]);
		const main = threadTrees(report, undefined).find(({name}) => name === 'main')!;
		// It waits in run() for what its threads do.
		expect(main.rows.map(({method, calls}) => `${method} ${calls}`).sort()).toEqual(['run 1', 'slow 1']);
		expect(main.cumulativeNs).toBe(main.rows[0].cumulativeNs + main.rows[1].cumulativeNs);
		expect(callsByThreads(report)).toEqual([...report.nodes.calls]);
	});

	test.each(release >= 21 ? [release] : [])(
		'a trace belongs to the virtual thread, though its carrier runs others in between',
		async () => {
			const report = await tracedWhile(
				{patterns: ['KnownTraces#visit', 'KnownTraces#step'], keep: 20},
				async () => say('virtual 300'),
			);
			expect(traceTree(report, undefined)).toMatchObject([{
				method: 'visit',
				calls: 300,
				exceptions: 0,
				children: [{method: 'step', calls: 600, children: []}],
			}]);
			expect(report).toMatchObject({traces: 300, lostCalls: 0, activeCount: 0});
			expect(threadTrees(report, undefined)).toMatchObject([{
				name: '(virtual threads)',
				calls: 900,
				rows: [{method: 'visit', calls: 300, children: [{method: 'step', calls: 600}]}],
			}]);
			const {method} = report.slowest[0].actions[0];
			expect(report.slowest.map(({actions}) => actions.map(action => [action.kind, action.method === method])))
				.toEqual(Array.from({length: 20}, () => [
					['START', true],
					['START', false],
					['END', false],
					['START', false],
					['END', false],
					['END', true],
				]));
		},
	);

	test('a file that is no agent is one clear line', async () => {
		await expect(TraceSession.open(shared.target, import.meta.filename)).rejects
			.toThrow(`JVM ${shared.target.pid} cannot read the agent in its /tmp`);
		await until(() => leftIn(shared.target.pid).length === 0);
	});

	test('an interface means its implementations, also those loaded later; annotations; --under', async () => {
		const shapes = await tracedWhile({patterns: ['KnownTraces.Shape#area']}, async () =>
			say('3', 'load', 'inherit'));
		expect(countsOf(shapes)).toEqual({
			'Square.area': [16, 0],
			'Line.area': [8, 0],
			'Late.area': [1, 0],
			'Inheriting.area': [1, 0],
			'Inherited.area': [0, 0],
		});
		expect(countsOf(await tracedWhile({patterns: ['@Watched']}, async () => say('slow')))).toEqual({slow: [1, 0]});
		expect(countsOf(await tracedWhile({
			patterns: ['KnownTraces$Square#area', 'KnownTraces#busy'],
			under: ['KnownTraces#round'],
		}, async () => say('2')))).toEqual({round: [16, 0], 'Square.area': [8, 0], busy: [0, 0]});
	});

	test('of a method that costs too much one call in 64 is followed, then it is released, and only that', async () => {
		const hasReleased = (session: TraceSession) => session.read()!.methods.some(({isReleased}) => isReleased);
		const report = await tracedWhile(
			{patterns: ['KnownTraces#busy', 'KnownTraces#slow'], maxOverheadPercent: 0.01},
			async session => {
				await until(() => hasReleased(session));
				await say('slow');
			},
		);
		expect(traceMethods(report, undefined).map(({method, oneIn, isReleased}) => [method, oneIn, isReleased]))
			.toEqual(expect.arrayContaining([['busy', 64, true], ['slow', 1, false]]));
		expect(countsOf(report).slow).toEqual([1, 0]);
	});

	test('what calls cost before a later command is not held against their methods', async () => {
		const report = await tracedWhile({patterns: ['KnownTraces#level']}, async session => {
			const reportsFor = async (ns: number) => {
				const {elapsedNs} = session.read()!;
				await until(() => session.read()!.elapsedNs > elapsedNs + ns);
			};

			await say(String(rounds));
			await reportsFor(5e8);
			await session.weave({
				...request,
				patterns: ['KnownTraces#level', 'KnownTraces#slow'],
				maxOverheadPercent: 0.1,
			});
			await reportsFor(5e8);
		});
		expect(traceMethods(report, undefined).find(({method}) => method === 'level')).toMatchObject({
			oneIn: 1,
			isReleased: false,
		});
	});
});
