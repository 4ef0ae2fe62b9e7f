import {spawnSync} from 'node:child_process';
import process from 'node:process';
import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {attachEngine} from '../../source/engines/attach/attach-engine.js';
import type {Engine} from '../../source/engines/common/engine.js';
import {memoryEngine} from '../../source/engines/memory/memory-engine.js';
import {threadFlag} from '../../source/model/sample.js';
import {defaultQuery} from '../../source/query/types/query.js';
import type {TableReader} from '../../source/table/table-reader.js';
import {locationName} from '../../source/query/counters/location.js';
import {querySummaryLines} from '../../source/views/lines/lines.js';
import type {ThreadRow} from '../../source/views/threads/columns.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {bundle} from '../helpers/bundle.js';
import {javaForTest, keepFirstCpuBusy, onFirstCpu} from '../helpers/for-test.js';
import {isNewestOrAskedFor, jdks, type JavaProcess} from '../helpers/jvm.js';
import {sampleHere, samplerForTest, snapshotOf} from '../helpers/sampling.js';
import {until} from '../helpers/until.js';

const stuck = [safe`stuck-1`, safe`stuck-2`];

/** A blocked thread wakes each second up to JDK 23: how often it must have used CPU before it is looked at. */
const wakeUps = 3;
const lastThatWakes = 23;

function threadsOf(reader: TableReader) {
	const {threads} = reader.read(1000)!;
	return new Map(Array.from({length: threads.count}, (_, thread) => [threads.name[thread], {
		sinceMs: threads.sinceMs[thread],
		cpuNs: threads.cpuNs[thread],
		unmovedSinceStart: (threads.flags[thread] & threadFlag.unmovedSinceStart) !== 0,
	}]));
}

/** Samples until the threads in the deadlock have woken so often, and for long enough for the others to take turns. */
async function watch(java: JavaProcess, engine: Engine, wakeUps: number) {
	const {reader} = await sampleHere(java, engine);
	let first: ReturnType<typeof threadsOf> | undefined;
	const used = new Map(stuck.map(name => [name, new Set<number>()]));
	return until(() => {
		const {samples} = reader.read(1000)!.figures;
		const now = threadsOf(reader);
		first ??= samples > 0 ? now : undefined;
		for (const [name, figures] of used) {
			figures.add(now.get(name)?.cpuNs ?? 0);
		}

		return first && samples >= 50 && [...used.values()].every(({size}) => size > wakeUps) && {first, last: now};
	});
}

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: a thread that gets its lock while we wait for a CPU does not wait for itself',
	async jdk => {
		// All share a CPU, and others go before us: threads run on while we read.
		const java = await javaForTest('TakesTurns', {jdk, under: onFirstCpu});
		const program = await bundle('test/sampler/count-own-waits.ts');
		keepFirstCpuBusy(3);
		const {stdout, stderr} = spawnSync(onFirstCpu[0], [
			...onFirstCpu.slice(1),
			'nice',
			'-n',
			'3',
			process.execPath,
			program.pathname,
			String(java.pid),
			'20',
		], {encoding: 'utf8'});
		expect(stderr).toBe('');
		const {forOthers, forItself} = JSON.parse(stdout) as {forOthers: number; forItself: number};
		expect(forOthers).toBeGreaterThan(0);
		expect(forItself).toBe(0);
	},
);

test.each(jdks())(
	'JDK $release: threads in a deadlock are stuck since before they were looked at, however often they wake; those that take turns at a monitor are not',
	async jdk => {
		const java = await javaForTest('Deadlock', {jdk, under: []});
		const sessions = await Promise.all([memoryEngine, attachEngine].map(async engine =>
			watch(java, engine, jdk.release > lastThatWakes ? 0 : wakeUps)));
		for (const {first, last} of sessions) {
			for (const name of stuck) {
				expect(last.get(name)).toMatchObject({sinceMs: first.get(name)!.sinceMs, unmovedSinceStart: true});
			}

			for (const name of [safe`turn-1`, safe`turn-2`, safe`turn-3`]) {
				expect(last.get(name)!.sinceMs).toBeGreaterThan(first.get(name)!.sinceMs);
				expect(last.get(name)!.unmovedSinceStart).toBe(false);
			}
		}
	},
);

test.each(jdks())('JDK $release: threads that are stuck are listed, those without work are not', async jdk => {
	const java = await javaForTest('StuckAndIdle', {jdk});
	await Promise.all(['memory', 'attach'].map(async engine => {
		const sampler = await samplerForTest(java, {engine});
		const first = await snapshotOf(sampler, ({session}) => session.samples >= 20);
		// What they were found doing first is over.
		await until(() => sampler.read()!.session.sampledMs - first.session.sampledMs >= 500);
		/** Names of pools that the Threads view lists, or of all. */
		const rows = (showsWaitsForWork: boolean) =>
			queryThreads(sampler.read()!, first, {
				...defaultQuery,
				sort: {column: 'name', reverse: false},
				foldPools: true,
				showsWaitsForWork,
			}).rows;
		const names = (showsWaitsForWork: boolean) => rows(showsWaitsForWork).map(({name}) => name);
		const listed = names(false);
		const ofProgram
			= /^(?:request|transfer|db|borrower|latch|fixed|cached|scheduled|fork-join|tomcat|timer|loop|selector|acceptor|writer|main)(?:-|$)/;
		expect(listed.filter(name => ofProgram.test(name)), engine).toEqual([
			'borrower-*',
			'db-*',
			'latch-*',
			'main',
			'request-*',
			'transfer-*',
			'writer',
		]);
		const resting = [
			'fixed',
			'cached',
			'scheduled',
			'fork-join',
			'tomcat',
			'timer',
			'loop',
			'selector',
			'acceptor',
			'Reference Handler',
			'Finalizer',
			'Signal Dispatcher',
		];
		const restingIn = (among: readonly string[]) =>
			resting.filter(pool => among.some(name => name.startsWith(pool)));
		expect([restingIn(names(true)), restingIn(listed)], engine).toEqual([resting, []]);
		const noted = rows(true).filter(({name}) => ofProgram.test(name) || resting.includes(name));
		const isNotedAs = (wanted: (row: ThreadRow) => boolean) =>
			noted.filter(row => wanted(row)).map(({name}) => name);
		// A sleeping main is not stuck, and what is stuck does not wait for work.
		expect(
			isNotedAs(({stuckMs}) => stuckMs > 0),
			engine,
		).toEqual(['borrower-*', 'db-*', 'latch-*', 'request-*', 'transfer-*']);
		expect(
			isNotedAs(({shownState}) => shownState === 'IDLE')
				.map(name => name.replace(/-(?:\d.*|\*.*)$/, ''))
				.toSorted(),
			engine,
		).toEqual(resting.toSorted());
		const waits = querySummaryLines(sampler.read()!, first, {
			...defaultQuery,
			summary: {showsWaits: true},
		}).rows.map(row => locationName(row));
		// The JVM's own threads use CPU time now and then.
		expect(waits.filter(name => !name.startsWith('StuckAndIdle') && !name.startsWith('[')), engine).toEqual([]);
	}));
});
