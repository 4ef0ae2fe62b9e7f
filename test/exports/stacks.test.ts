import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import type {ExportOptions} from '../../source/exports/common/export-format.js';
import {writePprof} from '../../source/exports/pprof/write.js';
import {openRecording} from '../../source/exports/recording/recording-reader.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {stateCode, threadStates, type ThreadState} from '../../source/model/thread-state.js';
import {locationName, locationOfFrame} from '../../source/query/counters/location.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {folderForTest} from '../helpers/for-test.js';
import {pick, seeded} from '../helpers/random.js';
import {goProgram} from '../helpers/run.js';
import {sum, sumsByName} from '../helpers/sum.js';
import {patienceMs} from '../helpers/until.js';
import {eventsWindow} from '../fleet/decode.js';
import {flameStacks, parseCollapsed, parseFlameGraph, parseSpeedscope, textOf} from './parse.js';
import {hostileSnapshot, randomSnapshot, serviceSnapshots} from './snapshots.js';

const stacksOf = (...given: [Snapshot, Partial<ExportOptions>?, Snapshot?]) =>
	parseCollapsed(textOf('collapsed', ...given));
const profilesOf = (...given: [Snapshot, Partial<ExportOptions>?]) => parseSpeedscope(textOf('speedscope', ...given));
const pageOf = (...given: [Snapshot, Partial<ExportOptions>?, Snapshot?]) => textOf('html', ...given);

/** The sums of stacks by the frame that they count at: the first from the top with a line number, or else the top. */
const byLine = (stacks: ReadonlyArray<{readonly frames: readonly string[]; readonly count: number}>) =>
	sumsByName(stacks.map(({frames, count}) => [frames.findLast(frame => /:\d+$/.test(frame)) ?? frames.at(-1)!, count]));

/**
What Lines shows with --first-line, in CPU microseconds or, of some states, in ticks; lines of the same name together.
*/
function linesOf(snapshot: Snapshot, states?: readonly ThreadState[]): Record<string, number> {
	const query: Query = {...defaultQuery, firstLine: true};
	const {rows} = queryLines(snapshot, undefined, states ? {...query, states, unit: 'ticks'} : query);
	const sums = sumsByName(rows.map(row => [locationName(row), states ? row.selfTicks : row.selfCpuNs / 1000]));
	return Object.fromEntries(Object.entries(sums).filter(([, value]) => value > 0));
}

test.each(Array.from({length: 8}, (_, seed) => seed))(
	'sums by line are those of Lines, as CPU time and as ticks: %i',
	seed => {
		const snapshot = randomSnapshot(seed);
		const [profiles, page] = [profilesOf(snapshot), parseFlameGraph(pageOf(snapshot))];
		const cpu = [stacksOf(snapshot), profiles.get('CPU time')!, flameStacks(page)].map(stacks => byLine(stacks));
		for (const [name, value] of Object.entries(linesOf(snapshot))) {
			// Each stack is rounded to a microsecond.
			expect(cpu.map(sums => sums[name] ?? 0), name).toEqual(cpu.map(() => expect.closeTo(value, -1) as number));
		}

		for (const state of threadStates) {
			for (
				const stacks of [
					stacksOf(snapshot, {states: [state]}),
					profiles.get(`${state}, ticks`) ?? [],
					flameStacks(page, [stateCode[state]]),
				]
			) {
				expect(byLine(stacks), state).toEqual(linesOf(snapshot, [state]));
			}
		}
	},
);

/** The page's script is not typed. */
type Looks = {
	readonly colors: {own(part: number): readonly number[]};
	fittingName(names: readonly string[], room: number, widthOf: (text: string) => number): string;
};

test('labels of a flame graph keep their beginning, and own code has one colour', async () => {
	const script = new URL('../../source/exports/flame-page/looks.js', import.meta.url);
	const {colors, fittingName} = await import(script.href) as Looks;
	// As in a proportional font: i is narrow.
	const widthOf = (text: string) => (7 * text.length) - (4 * text.replaceAll(/[^i]/g, '').length);
	const names = ['com.acme.Mini.fill:7', 'Mini.fill:7', 'fill:7'];
	expect([200, 130, 80, 40, 30, 20, 6].map(room => fittingName(names, room, widthOf))).toEqual([
		names[0], names[0], names[1], names[2], 'fil…', 'fi…', '',
	]);
	expect(new Set([0, 0.5, 1].map(part => String(colors.own(part)))).size).toBe(1);
});

test('sums by line in go tool pprof are those of Lines', ({skip}) => {
	const {snapshot} = openRecording(readFileSync(new URL('../../demo/recording.tprof', import.meta.url))).last;
	const file = path.join(folderForTest(), 'demo.pb.gz');
	writeFileSync(file, writePprof(snapshot, '1.2.3'));
	const go = goProgram() ?? skip('no Go');
	const raw = spawnSync(go, ['tool', 'pprof', '-raw', file], {encoding: 'utf8', timeout: patienceMs});
	expect(raw.stdout).toMatch(/^Comment: tprof-top 1\.2\.3$/m);
	expect(raw.stdout).not.toContain('tprof-top-session');
	// Native code counts at the line that called it.
	const {dictionary} = snapshot;
	const withoutLine = Array.from(
		{length: dictionary.frameCount},
		(_, frame) => locationOfFrame(dictionary, frame, 'line'),
	).filter(({line}) => line < 0)
		.map(location => locationName(location).replace(/\(native\)$/, '').replaceAll(/\W/g, String.raw`\$&`));
	const {stdout, stderr, status} = spawnSync(goProgram() ?? skip('no Go'), [
		'tool',
		'pprof',
		'-lines',
		'-top',
		'-nodecount=0',
		'-nodefraction=0',
		'-sample_index=cpu',
		'-unit=ns',
		`-hide=^(${withoutLine.join('|')})$`,
		file,
	], {encoding: 'utf8', timeout: patienceMs});
	expect(status, stderr).toBe(0);
	const sums = [...stdout.matchAll(/^ *([1-9]\d*)ns .*% {2}(\S+) \S+(:\d+)$/gm)].map(([, ns, method, line]) =>
		[method + line, Math.round(Number(ns) / 1000)] as const);
	const rows = Object.entries(linesOf(snapshot)).filter(([name]) => /:\d+$/.test(name));
	expect(rows.length).toBeGreaterThan(10);
	expect(Object.fromEntries(sums)).toEqual(Object.fromEntries(rows.map(([name, us]) => [name, Math.round(us)])));
});

test('collapsed begins with threads and states if asked to, and counts ticks with states', () => {
	const {whole: snapshot, first} = serviceSnapshots();
	const text = (more: Partial<ExportOptions>) =>
		stacksOf(snapshot, more, first).map(({frames, count}) => `${frames.join(';')} ${count}`);
	expect(text({withThreads: true})).toEqual([
		'[main];com.acme.Main.main:10;com.acme.sort.Bubble.sort:16 2000000',
		'[main];com.acme.Main.main:10;com.acme.sort.Bubble.sort:16;com.acme.sort.Bubble.swap:24 3000000',
		'[pool-1-thread-1];com.acme.Main.main:10;com.acme.sort.Bubble.sort:16 700000',
	]);
	expect(text({withThreads: true, withStates: true}))
		.toContain('[pool-1-thread-1];[BLOCKED];com.acme.Worker.run:30;com.acme.db.Pool.take:88 20');
	expect(text({withStates: true}))
		.toContain('[IDLE];com.acme.Worker.run:30;com.acme.Main$$Lambda/0x00007f0001000a00.run;sun.nio.ch.EPoll.wait(native) 25');
	expect(text({withStates: true, states: ['BLOCKED']})).toEqual([
		'[BLOCKED];com.acme.Worker.run:30;com.acme.db.Pool.take:88 20',
	]);
	expect(text({query: {...defaultQuery, filter: 'swap', by: 'method'}, depth: 2})).toEqual([
		'com.acme.sort.Bubble.sort;com.acme.sort.Bubble.swap 3000000',
	]);
});

test('collapsed, speedscope and a flame graph have bytes or exceptions by stack', () => {
	const snapshot = eventsWindow();
	const sumsOf = (stacks: ReadonlyArray<{readonly frames: readonly string[]; readonly count: number}>) =>
		sumsByName(stacks.map(({frames, count}) => [frames.join(';'), count]));
	const expected = {
		alloc: {'a.Main.run:1;a.Main.copy:5': 7e6},
		exceptions: {'a.Main.run:1;a.NotFound.<init>': 12},
	};
	const titles = {alloc: 'bytes allocated', exceptions: 'exceptions'};
	for (const unit of ['alloc', 'exceptions'] as const) {
		const query: Query = {...defaultQuery, unit};
		const page = pageOf(snapshot, {query});
		expect(sumsOf(stacksOf(snapshot, {query, withStates: false}))).toEqual(expected[unit]);
		const profiles = profilesOf(snapshot, {query});
		expect([...profiles.keys()]).toEqual([titles[unit]]);
		expect(sumsOf(profiles.get(titles[unit])!)).toEqual(expected[unit]);
		expect(sumsOf(flameStacks(parseFlameGraph(page)))).toEqual(expected[unit]);
		expect(parseFlameGraph(page)).toMatchObject({unit, amountTitle: titles[unit]});
		expect(page).toContain(`a frame with 50% of the ${titles[unit]} has 50% ±`);
	}
});

test('a name with a semicolon is one frame of collapsed stacks', () => {
	const {counters: {ticks, count: counters}} = hostileSnapshot();
	const stacks = stacksOf(hostileSnapshot(), {states: threadStates});
	expect(new Set(stacks.map(({frames}) => frames.length))).toEqual(new Set([2]));
	expect(sum(stacks.map(({count}) => count))).toBe(sum([...ticks.subarray(0, counters)]));
});

test('speedscope with frames of threads and states has the stacks of collapsed', () => {
	const {whole: snapshot} = serviceSnapshots();
	const more = {withThreads: true, withStates: true};
	expect(profilesOf(snapshot, more).get('Ticks')).toEqual(stacksOf(snapshot, more));
	expect([...profilesOf(snapshot, {states: ['BLOCKED']}).keys()]).toEqual(['CPU time', 'BLOCKED, ticks']);
});

describe('flame graph', () => {
	test('says target, window, cost and error', () => {
		const {whole: snapshot, first} = serviceSnapshots();
		const page = pageOf(snapshot, {notes: [safe`the target ended`]}, first);
		const texts = [
			'<title>tprof-top 4711 com.acme.Main  JDK 17.0.15 (OpenJDK 64-Bit Server VM)</title>',
			'2026-09-14T14:02:06Z for 5 s | engine attach every 250 ms',
			'target stopped 6 ms (0.1%)',
			'a frame with 50% of the CPU time has 50% ±16.9',
			'<li>the target ended</li>',
			'<ul id="findings"><li>1 thread waits for Pool, for 4s: main has it, at c.a.sort.Bubble.swap:24.</li></ul>',
		];
		expect(texts.filter(text => !page.includes(text))).toEqual([]);
		expect(parseFlameGraph(page).threads).toContain('pool-*-thread-*');
	});

	test('of a comparison has the baseline, as if it were as long as the window', () => {
		const {whole: snapshot, first} = serviceSnapshots();
		const ofOtherSession = {...first, dictionary: {...first.dictionary, strings: [...first.dictionary.strings]}};
		const page = pageOf(snapshot, {
			query: {...defaultQuery, baseline: {snapshot: ofOtherSession, since: undefined, title: safe`before`}},
		});
		expect(page).toContain('<li>compared with before: ');
		const {now, was} = parseFlameGraph(page);
		const cpuUs = (side: typeof now) => sum(side.amounts) * side.amountScale;
		expect(cpuUs(now)).toBe(11_400_000);
		expect(cpuUs(was!)).toBeCloseTo(5_700_000 * 9900 / 4900, -3);
	});

	test('needs no network, runs no script but its own, and names cannot end its parts', () => {
		const hostile = hostileSnapshot();
		const target = {
			...hostile.target,
			mainClass: safe`</title><script>alert(1)</script>`,
			jvmVersion: safe`"'onload=alert(1)`,
			vm: safe`--><!--data-->$&`,
		};
		const page = pageOf({...hostile, target}, {notes: [safe`</li><img src=x onerror=alert(1)>`], states: threadStates});
		expect(page.match(/<script/g)).toHaveLength(2);
		expect(page.match(/<(?:img|link|iframe|base|object)|href=/g)).toBe(null);
		const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)!;
		const hashOf = (name: string) =>
			`'sha256-${
				createHash('sha256').update(new RegExp(`<${name}>([^]*?)</${name}>`).exec(page)![1]).digest('base64')
			}'`;
		expect(policy).toBe(`default-src 'none'; script-src ${hashOf('script')}; style-src ${hashOf('style')}`);
		expect(parseFlameGraph(page).names).toContain('comma,semi;.=1+2:2');
	});

	test('of 5,000 stacks is below 400 KB', () => {
		const page = pageOf(manyStacks(5000));
		expect(parseFlameGraph(page).now.stackSteps.filter(step => step > 0)).toHaveLength(5000);
		expect(page.length).toBeLessThan(400_000);
	});
});

/** A program with this many stacks of forty frames with long names, of which the outer ones are shared by ever more. */
function manyStacks(count: number): Snapshot {
	const random = seeded(1);
	const builder = new SnapshotBuilder();
	const frames = Array.from(
		{length: 6000},
		(_, index) =>
			builder.addFrame(
				`org.acme.shop${pick(random, 150)}.AbstractOrderRequestHandler${pick(random, 1500)}`,
				`handle${pick(random, 200)}`,
				'File.java',
				index,
			),
	);
	const threads = Array.from(
		{length: 200},
		(_, key) => builder.addThread({key: key + 1, name: safe`http-nio-8080-exec-${key}`}),
	);
	for (let index = 0; index < count; index++) {
		const stack = Array.from({length: 40}, (_, up) => frames[(((index >> up) * 7919) + up) % frames.length]);
		builder.count(
			threads[pick(random, 200)],
			builder.addStack(stack),
			stateCode.RUNNABLE,
			1 + pick(random, 9),
			pick(random, 1e9),
		);
	}

	return builder.build({session: {durationMs: 10_000, sampledMs: 10_000, samples: 500}});
}
