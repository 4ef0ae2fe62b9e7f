import {onTestFinished} from 'vitest';
import type {Engine, EngineOptions, EngineSession} from '../../source/engines/common/engine.js';
import {openProcessClock} from '../../source/jvm/threads/process-clock.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {startSampler, type SamplerHandle, type SamplerOptions} from '../../source/sampler/handle.js';
import {SamplingLoop} from '../../source/sampler/loop.js';
import {createTable} from '../../source/table/table-layout.js';
import {TableReader, type TableImage} from '../../source/table/table-reader.js';
import {TableWriter} from '../../source/table/writer.js';
import {bundle} from './bundle.js';
import {targetOf} from './jvm.js';
import {closedAfterTest} from './for-test.js';
import {frameIdsOf, rowsOf} from './rows.js';
import {until} from './until.js';

/** What counted for a thread in a state at a stack: ticks and CPU time; its methods, the innermost first. */
export type Counted = {
	readonly thread: string;
	readonly state: number;
	readonly methods: readonly string[];
	readonly ticks: number;
	readonly cpuNs: number;
};

/** All that a table has counted. */
export function countedIn({counters, threads, dictionary}: TableImage): Counted[] {
	return rowsOf(counters).map(({thread, state, node, ticks, cpuNs}) => {
		const methods = frameIdsOf(dictionary, node).map(frame => dictionary.strings[dictionary.frameMethod[frame]]);
		return {thread: threads.name[thread], state, methods, ticks, cpuNs};
	});
}

type Process = {readonly pid: number};

/** Samples a JVM in a worker, as the live view does, every 20 ms; closed with the test. */
export async function samplerForTest(java: Process, options: Partial<SamplerOptions> = {}): Promise<SamplerHandle> {
	return closedAfterTest(startSampler({
		target: await targetOf(java),
		engine: 'memory',
		depth: Infinity,
		maxOverheadPercent: 100,
		intervalMs: 20,
		workerUrl: await bundle('source/sampler/worker.ts'),
		...options,
	}));
}

/** The next snapshot that is as wanted. */
export async function snapshotOf(
	sampler: Pick<SamplerHandle, 'read'>,
	isWanted: (snapshot: Snapshot) => boolean = () => true,
): Promise<Snapshot> {
	return until(() => {
		const snapshot = sampler.read();
		return snapshot && isWanted(snapshot) && snapshot;
	});
}

type Sampling = {readonly reader: TableReader; readonly session: EngineSession; stop(): Promise<void>};

/**
Samples a JVM in this very thread, every 20 ms, with what `around` makes of the session; until `stop` or the test's end.
*/
export async function sampleHere(
	java: Process,
	engine: Engine,
	options: Partial<EngineOptions> = {},
	around: (session: EngineSession, writer: TableWriter) => EngineSession = session => session,
): Promise<Sampling> {
	const buffer = createTable();
	const writer = new TableWriter(buffer);
	const session = await engine.open(await targetOf(java), {depth: Infinity, ...options}, writer);
	const loop = new SamplingLoop({
		session: around(session, writer),
		writer,
		intervalMs: 20,
		maxOverheadPercent: 100,
		processClock: openProcessClock(java.pid),
		report: () => undefined,
	});
	const done = loop.run();
	const stop = async () => {
		loop.stop();
		await done;
		await session.close();
	};

	onTestFinished(stop);
	return {reader: new TableReader(buffer), session, stop};
}
