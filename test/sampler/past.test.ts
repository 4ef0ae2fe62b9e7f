import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {expect, test} from 'vitest';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {LookBack} from '../../source/query/past/look-back.js';
import {addToRing, emptyRing, usualBounds} from '../../source/query/past/ring.js';
import {cellBefore, cellOf, timeCells} from '../../source/query/past/steps.js';
import {jdks, type Jdk} from '../helpers/jvm.js';
import {javaForTest} from '../helpers/for-test.js';
import {samplerForTest} from '../helpers/sampling.js';
import {patienceMs} from '../helpers/until.js';

const spanMs = 1000;

/** The one that is shipped: in a folder from which no package is found, nothing sees what running threads do. */
const workerUrl = pathToFileURL(path.resolve(import.meta.dirname, '../../dist/worker.js'));

/** CPU milliseconds of the phase that burns them, whose thread asks for its own CPU time now and then. */
function burntIn(window: NonNullable<ReturnType<LookBack['window']>>): number {
	const row = queryLines(window.snapshot, window.since, {...defaultQuery, by: 'method'}).rows.find(({method}) => method === 'phase');
	return (row?.totalCpuNs ?? 0) / 1e6;
}

/** It takes some seconds: once, or on every JDK that is asked for by name, with each engine. */
const cases: ReadonlyArray<{readonly release: number | string; readonly engine: string; readonly jdk?: Jdk}> = process.env.TPROF_JDKS
	? jdks().flatMap(jdk => ['memory', 'attach'].map(engine => ({release: jdk.release, engine, jdk})))
	: [{release: 'any', engine: 'auto'}];

test.each(cases)('JDK $release, $engine: a spike that is over is where it was, stepped back to while sampling goes on', async ({jdk, engine}) => {
	const java = await javaForTest('KnownPhases', {jdk, under: []});
	const sampler = await samplerForTest(java, {engine, timer: 'auto', maxCpuPercent: 100, workerUrl});
	let ring = emptyRing;
	let isBegun = false;
	let burnt: readonly string[] | undefined;
	const deadlineMs = Date.now() + patienceMs;
	// It begins when two and a half seconds were sampled, and goes on until there is as much after it.
	while (!burnt || !(ring.windows.at(-1)!.atMs > Number(burnt[2]) + 2500)) {
		expect(Date.now()).toBeLessThan(deadlineMs);
		await sleep(50);
		const snapshot = sampler.read();
		ring = snapshot && snapshot.session.samples > 0 ? addToRing(ring, snapshot, {}, {...usualBounds, leastMs: 200}) : ring;
		if (!isBegun && (ring.newest?.session.sampledMs ?? 0) > 2500) {
			isBegun = true;
			java.child.stdin!.write('\n');
		}

		burnt ??= /burnt (\d+) (\d+) (\d+)/.exec(java.output())?.slice();
	}

	const [beganMs, endedMs, cpuMs] = burnt.slice(1).map(Number);
	const lookBack = new LookBack();
	const cells: Array<{readonly fromMs: number; readonly toMs: number; readonly burntMs: number}> = [];
	for (let cell = cellBefore(ring, undefined, spanMs); cell !== undefined; cell = cellBefore(ring, cell, spanMs)) {
		const window = lookBack.window(ring, cell, spanMs)!;
		cells.push({fromMs: window.fromMs, toMs: window.toMs, burntMs: burntIn(window)});
	}

	const within = cells.filter(({fromMs, toMs}) => toMs > beganMs && fromMs < endedMs);
	const sum = (some: typeof cells) => some.reduce((total, {burntMs}) => total + burntMs, 0);
	expect(cells.length).toBeGreaterThan(within.length + 1);
	// CPU time of the last sample's interval may count at the next one.
	expect(sum(within)).toBeGreaterThan(0.8 * cpuMs);
	expect(sum(within)).toBeLessThan(1.1 * cpuMs);
	expect(sum(cells) - sum(within)).toBeLessThan(0.1 * cpuMs);
	// The time line shows it there.
	const lastMs = cellOf(ring.windows.at(-1)!.atMs, spanMs);
	const line = timeCells(ring, lastMs, spanMs, cells.length + 2).map((cell, index, all) => ({...cell, endMs: lastMs - (spanMs * (all.length - 1 - index))}));
	const highest = line.toSorted((a, b) => (b.blocked ?? 0) - (a.blocked ?? 0))[0];
	expect(highest.blocked).toBeGreaterThan(0.3);
	expect(highest.endMs).toBeGreaterThan(beganMs);
	expect(highest.endMs - spanMs).toBeLessThan(endedMs);
});
