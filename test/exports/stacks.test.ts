import {describe, expect, test} from 'vitest';
import type {ExportOptions} from '../../source/exports/common/export-format.js';
import {collapsed} from '../../source/exports/formats/collapsed.js';
import {speedscope} from '../../source/exports/formats/speedscope.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {threadStates} from '../../source/model/thread-state.js';
import {locationName} from '../../source/query/counters/location.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {sum} from '../helpers/sum.js';
import {parseCollapsed, parseSpeedscope, whole} from './parse.js';
import {hostileSnapshot, randomSnapshot, serviceSnapshots} from './snapshots.js';

const options: ExportOptions = {query: defaultQuery, version: '1.2.3'};
const stacksOf = (snapshot: Snapshot, more: Partial<ExportOptions> = {}, since?: Snapshot) => parseCollapsed(String(whole(collapsed.write(snapshot, since, {...options, ...more}))));

/** The sums of stacks by the frame that they count at: the first from the top with a line number, or else the top. */
function byLine(stacks: ReadonlyArray<{readonly frames: readonly string[]; readonly count: number}>): Map<string, number> {
	const sums = new Map<string, number>();
	for (const {frames, count} of stacks) {
		const line = frames.findLast(frame => /:\d+$/.test(frame)) ?? frames.at(-1)!;
		sums.set(line, (sums.get(line) ?? 0) + count);
	}

	return sums;
}

/** What Lines shows for a query, in CPU microseconds or ticks; lines of the same name together. */
function linesOf(snapshot: Snapshot, since: Snapshot | undefined, query: Partial<typeof defaultQuery>, unit: 'selfCpuNs' | 'selfTicks'): Map<string, number> {
	const sums = new Map<string, number>();
	for (const row of queryLines(snapshot, since, {...defaultQuery, ...query}).rows) {
		const name = locationName(row).replaceAll(';', ',');
		sums.set(name, (sums.get(name) ?? 0) + (unit === 'selfTicks' ? row.selfTicks : row.selfCpuNs / 1000));
	}

	return new Map([...sums].filter(([, value]) => value > 0));
}

describe('collapsed', () => {
	test.each(Array.from({length: 20}, (_, seed) => seed))('sums by line are those of Lines, as CPU time and as ticks: %i', seed => {
		const snapshot = randomSnapshot(seed);
		const cpu = byLine(stacksOf(snapshot));
		for (const [name, value] of linesOf(snapshot, undefined, {}, 'selfCpuNs')) {
			// Each stack is rounded to a microsecond.
			expect(cpu.get(name) ?? 0, name).toBeCloseTo(value, -1);
		}

		expect(byLine(stacksOf(snapshot, {states: ['BLOCKED', 'WAITING']}))).toEqual(linesOf(snapshot, undefined, {states: ['BLOCKED', 'WAITING'], unit: 'ticks'}, 'selfTicks'));
	});

	test('begins with threads and states if asked to, and counts ticks with states', () => {
		const {whole: snapshot, first} = serviceSnapshots();
		const text = (more: Partial<ExportOptions>) => stacksOf(snapshot, more, first).map(({frames, count}) => `${frames.join(';')} ${count}`);
		expect(text({withThreads: true})).toEqual([
			'[main];com.acme.Main.main:10;com.acme.sort.Bubble.sort:16 2000000',
			'[main];com.acme.Main.main:10;com.acme.sort.Bubble.sort:16;com.acme.sort.Bubble.swap:24 3000000',
			'[pool-1-thread-1];com.acme.Main.main:10;com.acme.sort.Bubble.sort:16 700000',
		]);
		expect(text({withThreads: true, withStates: true})).toContain('[pool-1-thread-1];[BLOCKED];com.acme.Worker.run:30;com.acme.db.Pool.take:88 20');
		expect(text({withStates: true})).toContain('[IDLE];com.acme.Worker.run:30;com.acme.Main$$Lambda/0x00007f0001000a00.run;sun.nio.ch.EPoll.wait(native) 25');
		expect(text({withStates: true, states: ['BLOCKED']})).toEqual(['[BLOCKED];com.acme.Worker.run:30;com.acme.db.Pool.take:88 20']);
		expect(text({query: {...defaultQuery, filter: 'swap', by: 'method'}, depth: 2})).toEqual(['com.acme.sort.Bubble.sort;com.acme.sort.Bubble.swap 3000000']);
	});

	test('a name with a semicolon is one frame', () => {
		const {counters: {ticks, count: counters}} = hostileSnapshot();
		const stacks = stacksOf(hostileSnapshot(), {states: threadStates});
		expect(new Set(stacks.map(({frames}) => frames.length))).toEqual(new Set([2]));
		expect(sum(stacks.map(({count}) => count))).toBe(sum([...ticks.subarray(0, counters)]));
	});
});

describe('speedscope', () => {
	const profilesOf = (snapshot: Snapshot, more: Partial<ExportOptions> = {}) => parseSpeedscope(String(whole(speedscope.write(snapshot, undefined, {...options, ...more}))));

	test.each(Array.from({length: 20}, (_, seed) => seed))('sums by line are those of Lines, as CPU time and for each state: %i', seed => {
		const snapshot = randomSnapshot(seed);
		const profiles = profilesOf(snapshot);
		expect(byLine(profiles.get('CPU time')!)).toEqual(byLine(stacksOf(snapshot)));
		for (const state of threadStates) {
			const expected = linesOf(snapshot, undefined, {states: [state], unit: 'ticks'}, 'selfTicks');
			expect(byLine(profiles.get(`${state}, ticks`) ?? []), state).toEqual(expected);
		}
	});

	test('with frames of threads and states it has the stacks of collapsed', () => {
		const {whole: snapshot} = serviceSnapshots();
		const more = {withThreads: true, withStates: true};
		expect(profilesOf(snapshot, more).get('Ticks')).toEqual(stacksOf(snapshot, more));
		expect([...profilesOf(snapshot, {states: ['BLOCKED']}).keys()]).toEqual(['CPU time', 'BLOCKED, ticks']);
	});
});
