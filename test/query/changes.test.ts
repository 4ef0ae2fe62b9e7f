import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';
import {queryChanges, type ChangeRow} from '../../source/views/changes/changes.js';
import {defaultQuery, type Baseline, type Query} from '../../source/query/types/query.js';
import {picture} from '../helpers/picture.js';
import {pick, seeded} from '../helpers/random.js';
import {spikeSession} from '../helpers/spike.js';

const session = spikeSession(80);
const windowStart = (snapshot: Snapshot, since?: Snapshot): Baseline => ({snapshot, since, title: safe`before`});
const query = (baseline: Baseline, more: Partial<Query> = {}): Query => ({
	...defaultQuery,
	sort: {column: 'cpu-change', reverse: false},
	baseline,
	...more,
});

/** Rows by their place, with what is to be read of them. */
function read(rows: readonly ChangeRow[]) {
	return Object.fromEntries(rows.map(({key, kind, isNoise, cpuChange, ticksChange}) => [key, {
		kind, isNoise, cpuChange: Math.round(cpuChange), ticksChange: Math.round(ticksChange),
	}]));
}

test('a line that came, one that went and one that stayed, with what they use more or less per second', () => {
	const came = queryChanges(session[64], session[59], query(windowStart(session[59])));
	expect(read(came.rows)).toEqual({
		'com.acme.Spike.burn:7': {kind: 'new', isNoise: false, cpuChange: 1000, ticksChange: 50},
		'com.acme.Spike.wait:9': {kind: 'new', isNoise: false, cpuChange: 0, ticksChange: 200},
		'com.acme.Calm.tick:3': {kind: 'both', isNoise: true, cpuChange: 0, ticksChange: 0},
	});
	expect(came.rows[0].key).toBe('com.acme.Spike.burn:7');
	const went = queryChanges(session[79], session[64], query(windowStart(session[64], session[59])));
	expect(read(went.rows)).toMatchObject({
		'com.acme.Spike.burn:7': {kind: 'gone', isNoise: false, cpuChange: -1000, ticksChange: -50},
		'com.acme.Calm.tick:3': {kind: 'both', isNoise: true},
	});
});

test('a window that began before the mark was set begins there; one that ended before it stays as it is', () => {
	const mark = windowStart(session[64], session[59]);
	expect(read(queryChanges(session[79], undefined, query(mark)).rows))
		.toEqual(read(queryChanges(session[79], session[64], query(mark)).rows));
	expect(queryChanges(session[64], undefined, query(mark))).toEqual({rows: [], allRows: 0});
	expect(queryChanges(session[64], undefined, {...query(mark), baseline: undefined})).toEqual({rows: [], allRows: 0});
	expect(read(queryChanges(session[39], session[29], query(mark)).rows)['com.acme.Spike.burn:7']).toMatchObject({
		kind: 'gone',
	});
});

test('another sampling rate is no change', () => {
	const often = picture('main | R50*100 | a:1', {durationMs: 10_000});
	const seldom = picture('main | R100*50 | a:1', {durationMs: 10_000});
	const [row] = queryChanges(often, undefined, query(windowStart(seldom))).rows;
	expect(row).toMatchObject({kind: 'both', isNoise: true});
	expect([row.cpuChange, row.ticksChange]).toEqual([0, 0]);
	expect([row.now.cpuMsPerS, row.now.ticksPerS, row.was.ticksPerS]).toEqual([500, 10, 10]);
});

/** A profile of a hundred lines, of which each is as likely as it is in all others; the first is `times` as likely. */
const profile = (random: () => number, samples: number, times: number) => {
	const builder = new SnapshotBuilder();
	const thread = builder.addThread({key: 1, name: safe`main`});
	for (let sample = 0; sample < samples; sample++) {
		const line = Math.max(0, pick(random, 99 + times) - times + 1);
		builder.count(
			thread,
			builder.addStack([builder.addFrame('A', 'a', 'A.java', line)]),
			stateCode.RUNNABLE,
			1,
			2e7,
		);
	}

	return builder.build({session: {samples, durationMs: samples * 20}});
};

test('of two profiles of the same program nearly all differences are within the error', () => {
	const random = seeded(3);
	let [noise, all] = [0, 0];
	for (let round = 0; round < 10; round++) {
		const {rows} = queryChanges(profile(random, 2000, 1), undefined, query(windowStart(profile(random, 2000, 1))));
		noise += rows.filter(({cpuChange, cpuError}) => Math.abs(cpuChange) <= cpuError).length;
		all += rows.length;
	}

	expect(all).toBe(1000);
	expect(noise / all).toBeGreaterThan(0.93);
	expect(noise / all).toBeLessThan(0.98);
});
