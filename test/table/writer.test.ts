import {describe, expect, test} from 'vitest';
import {printable, safe} from '../../source/util/printable.js';
import {otherFrame} from '../../source/model/frame.js';
import {lockKindCode, threadFlag, unknownThreadKey, type Sample} from '../../source/model/sample.js';
import {stateCode, stateCount} from '../../source/model/thread-state.js';
import {
	defaultShape, otherName, otherNode, slabLayout, word, type TableShape,
} from '../../source/table/table-layout.js';
import type {TableImage} from '../../source/table/table-reader.js';
import {otherThreadKey} from '../../source/table/thread-writer.js';
import {frameIdsOf, rowsOf} from '../helpers/rows.js';
import {sum, sumsByName} from '../helpers/sum.js';
import {drawInto, newTable, randomSamples, zeroFigures, type DrawnThread} from './sample-maker.js';

const tiny: TableShape = {
	strings: 8, bytes: 2048, frames: 8, nodes: 8, threads: 8, counters: 8, contention: 8, events: 8,
	maxSlabs: 4096,
};

/** "Class.method<Class.method", innermost first; the empty string for the empty stack. */
function stackText({dictionary}: TableImage, node: number): string {
	const {strings, frameClass, frameMethod} = dictionary;
	return frameIdsOf(dictionary, node).map(frame => `${strings[frameClass[frame]]}.${strings[frameMethod[frame]]}`)
		.join('<');
}

/** Counters in words: "key|stack|state" -> [ticks, cpuNs]. */
function countersOf(image: TableImage): Map<string, [number, number]> {
	const counters
		= new Map(rowsOf(image.counters).map(({thread, node, state, ticks, cpuNs}) => [`${image.threads.key[thread]}|${stackText(image, node)}|${state}`, [ticks, cpuNs] as [number, number]]));
	expect(counters.size).toBe(image.counters.count);
	return counters;
}

/** Bytes that were allocated, in words: "key|stack" -> bytes and events. */
function eventsOf(image: TableImage): Map<string, [number, number]> {
	return new Map(rowsOf(image.events).map(({thread, node, amount, squares}) =>
		[`${image.threads.key[thread]}|${stackText(image, node)}`, [amount, squares] as [number, number]]));
}

/** Contention in words -> ticks. */
function contentionOf(image: TableImage): Map<string, number> {
	const {contention, threads, dictionary: {strings, frameMethod}} = image;
	return new Map(rowsOf(contention)
		.map(({thread, node, lockKind, lockClass, owner, ownerNode, ownerFrame, ticks}) => {
			const words = [
				threads.key[thread],
				stackText(image, node),
				lockKind,
				strings[lockClass],
				threads.key[owner] ?? 'none',
				stackText(image, ownerNode),
				strings[frameMethod[ownerFrame]],
			];
			return [words.join('|'), ticks];
		}));
}

/** What a naive reading of the samples counts. */
function naive(samples: readonly DrawnThread[][]) {
	const counters = new Map<string, [number, number]>();
	const contention = new Map<string, number>();
	const events = new Map<string, [number, number]>();
	const add = (key: number, frames: readonly string[], state: number, ticks: number, cpuNs: number) => {
		const words = `${key}|${frames.join('<')}|${state}`;
		const [ticksBefore, cpuNsBefore] = counters.get(words) ?? [0, 0];
		counters.set(words, [ticksBefore + ticks, cpuNsBefore + cpuNs]);
	};

	for (const sample of samples) {
		for (const row of sample) {
			const {key, frames = [], state = 1, cpuNs: ownNs = 0, attributedCpu = [], allocated = [], lock} = row;
			add(key, frames, state, 1, 0);
			for (const {bytes, frames: at} of allocated) {
				const [amount, squares] = events.get(`${key}|${at.join('<')}`) ?? [0, 0];
				events.set(`${key}|${at.join('<')}`, [amount + bytes, squares + 1]);
			}

			for (const {cpuNs, frames: at} of [...(ownNs > 0 ? [{cpuNs: ownNs, frames}] : []), ...attributedCpu]) {
				add(key, at, stateCode.RUNNABLE, 0, cpuNs);
			}

			if (lock && (lock.owner >= 0 || lock.kind === 1 || lock.kind === 4)) {
				const owner = sample[lock.owner];
				const words = [
					key,
					frames.join('<'),
					lock.kind,
					lock.className,
					owner?.key ?? 'none',
					owner?.frames?.join('<') ?? '',
					lock.ownerFrame?.split('.')[1] ?? '',
				].join('|');
				contention.set(words, (contention.get(words) ?? 0) + 1);
			}
		}
	}

	return {
		counters,
		contention,
		events,
		threadSamples: samples.flat().length,
		incompleteStacks: samples.flat().filter(({isIncomplete}) => isIncomplete).length,
	};
}

/** Marks the rows that are as they were in the sample before, but for who holds their lock. */
function markSame(sample: Sample, threads: readonly DrawnThread[], before: readonly DrawnThread[]): void {
	const without = ({lock, cpuNs, ...thread}: DrawnThread) =>
		JSON.stringify({...thread, lock: lock && {...lock, owner: 0}});
	for (const [row, thread] of threads.entries()) {
		sample.isSame[row] = before[row] && (thread.cpuNs ?? 0) === 0 && without(thread) === without(before[row])
			? 1
			: 0;
	}
}

test('a table takes no more memory than docs and memory limits say', () => {
	const {byteLength} = slabLayout(defaultShape);
	expect(byteLength).toBeLessThan(3.25 * 1024 * 1024);
	expect(byteLength * defaultShape.maxSlabs).toBeLessThan(52 * 1024 * 1024);
});

describe('counting', () => {
	test.each([1, 2, 3, 4, 5, 6])(
		'random samples through tiny slabs give what a map counts, at every moment (seed %i)',
		seed => {
			const samples = randomSamples(seed, {samples: 60, threads: 14, methods: 6, depth: 5});
			// Every third is nearly the one before.
			for (let index = 1; index < samples.length; index += 3) {
				const before = samples[index - 1];
				samples[index] = before.map((row, at) =>
					at % 3 === 0
						? {...row, state: (row.state! + 1) % stateCount, cpuNs: 5}
						: {
							...row,
							cpuNs: 0,
							...(row.lock
								&& {
									lock: {
										...row.lock,
										owner: row.lock.owner < 0 ? -1 : (row.lock.owner + 1) % before.length,
									},
								}),
						});
			}

			const {writer, sample, read} = newTable(tiny);
			const kept: Array<{image: TableImage; upTo: number}> = [];
			let sames = 0;
			for (const [index, threads] of samples.entries()) {
				markSame(drawInto(sample, threads, writer), threads, samples[index - 1] ?? []);
				sames += sum(sample.isSame.subarray(0, sample.count));
				expect(writer.count(sample, 1000 + index, zeroFigures)).toBe(true);
				if (index % 7 === seed % 7) {
					kept.push({image: read(), upTo: index + 1});
				}
			}

			expect(sames).toBeGreaterThan(50);
			kept.push({image: read(), upTo: samples.length});
			// Earlier copies must not have changed by what came later.
			for (const {image, upTo} of kept) {
				const truth = naive(samples.slice(0, upTo));
				expect(countersOf(image)).toEqual(truth.counters);
				expect(contentionOf(image)).toEqual(truth.contention);
				expect(eventsOf(image)).toEqual(truth.events);
				expect(image.figures).toMatchObject({
					samples: upTo,
					threadSamples: truth.threadSamples,
					incompleteStacks: truth.incompleteStacks,
					otherTicks: 0,
					lastSampleAtMs: 999 + upTo,
				});
			}

			const {threads} = kept.at(-1)!.image;
			const last = new Map(samples.at(-1)!.map(thread => [thread.key, thread]));
			for (const {key, alive, cpuNs, name, state, lockOwner} of rowsOf(threads)) {
				const truth = last.get(key);
				expect({alive, cpuNs}).toEqual({
					alive: truth ? 1 : 0,
					cpuNs: sum(samples.flat().filter(row => row.key === key).map(row => row.cpuNs ?? 0)),
				});
				if (truth) {
					expect({name, state, owner: threads.key[lockOwner]}).toEqual({
						name: truth.name,
						state: truth.state,
						owner: samples.at(-1)![truth.lock?.owner ?? -1]?.key,
					});
				}
			}
		},
	);

	test.each([
		['strings', {strings: 64, maxSlabs: 1, bytes: 4096}],
		['names\' bytes', {bytes: 2048, maxSlabs: 1, strings: 4096}],
		['frames', {frames: 16, maxSlabs: 1}],
		['stacks', {nodes: 64, maxSlabs: 1}],
		['threads', {threads: 8, maxSlabs: 1}],
		['counters', {counters: 128, maxSlabs: 1}],
		['the smallest number of counters', {counters: 8, maxSlabs: 1}],
		['contention', {contention: 8, maxSlabs: 1}],
		['events', {events: 8, maxSlabs: 1}],
	])('when %s run out nothing is lost', (_, limits) => {
		const samples = randomSamples(9, {samples: 80, threads: 20, methods: 40, depth: 8});
		const truth = naive(samples);
		const {count, read} = newTable({...defaultShape, ...limits});
		for (const [index, threads] of samples.entries()) {
			count(threads, index);
		}

		const image = read();
		expect(sum(image.counters.ticks)).toBe(truth.threadSamples);
		expect(sum(image.counters.cpuNs)).toBe(sum([...truth.counters.values()].map(([, cpuNs]) => cpuNs)));
		expect(sum(image.contention.ticks)).toBe(sum(truth.contention.values()));
		expect(sum(image.events.amount)).toBe(sum([...truth.events.values()].map(([bytes]) => bytes)));
		const isOther = ({thread, node}: {thread: number; node: number}) =>
			image.threads.key[thread] === otherThreadKey || image.dictionary.nodeFrame[node] === otherFrame;
		const other = sum(rowsOf(image.counters).filter(row => isOther(row)).map(({ticks}) => ticks));
		expect(image.figures.otherTicks).toBe(other);
		// A table without room for contention or names loses neither lines nor threads.
		expect(other > 0).toBe(!('contention' in limits || 'events' in limits || 'strings' in limits));
	});

	test('what finds no room is visible under its name', () => {
		const {count, read} = newTable({...defaultShape, nodes: 8, threads: 16, maxSlabs: 1});
		count(Array.from({length: 20}, (_, index) => ({key: index + 1, frames: [`A.m${index}`]})));
		const image = read();
		const counters = countersOf(image);
		expect(counters.get('1|A.m0|1')).toEqual([1, 0]);
		expect(counters.get(`7|${otherName}.${otherName}|1`)).toEqual([1, 0]);
		// The last two places are for "(other)" and ended threads.
		expect(counters.get(`14|${otherName}.${otherName}|1`)).toEqual([1, 0]);
		expect(counters.get(`0|${otherName}.${otherName}|1`)).toEqual([6, 0]);
		expect(image.figures.otherTicks).toBe(14);
		const other = image.threads.key.indexOf(otherThreadKey);
		expect(image.threads.name[other]).toBe(otherName);
		expect(stackText(image, otherNode)).toBe(`${otherName}.${otherName}`);
	});

	test('threads whose id reads 0 have their stacks, and do not make the table full', () => {
		const {count, read} = newTable();
		count([{key: 0, name: safe`new`, frames: ['A.a']}, {key: 0, name: safe`new`, frames: ['B.b']}, {
			key: 3,
			frames: ['A.a'],
		}]);
		const image = read();
		expect(image.figures.otherTicks).toBe(0);
		expect(countersOf(image))
			.toEqual(new Map([
				[`${unknownThreadKey}|A.a|1`, [1, 0]],
				[`${unknownThreadKey}|B.b|1`, [1, 0]],
				['3|A.a|1', [1, 0]],
			]));
	});

	test('ticks of more than 32 bits are exact', () => {
		const {count, read} = newTable();
		for (const atMs of [1, 2, 3]) {
			count([{key: 1, frames: ['A.a']}], atMs, undefined, {before: 0, now: 2_000_000_001});
		}

		const image = read();
		expect(countersOf(image).get('1|A.a|1')).toEqual([6_000_000_003, 0]);
		expect(image.figures.threadSamples).toBe(6_000_000_003);
	});

	test('a row of several threads counts for each, from when the engine says', () => {
		const {writer, sample, read} = newTable();
		const holder = sample.addThread(1, 0, safe`holder`);
		const row = sample.addThread(-9, 0, safe`waiter-*`);
		sample.members[row] = 20;
		sample.state[row] = stateCode.WAITING;
		sample.atNodeSinceMs[row] = 40;
		sample.lockKind[row] = lockKindCode.park;
		sample.lockOwner[row] = holder;
		writer.count(sample, 100, zeroFigures);
		writer.count(sample, 200, zeroFigures, undefined, {before: 2, now: 1});
		const image = read();
		expect(countersOf(image))
			.toEqual(new Map([[`1||${stateCode.RUNNABLE}`, [4, 0]], [`-9||${stateCode.WAITING}`, [80, 0]]]));
		expect(sum(contentionOf(image).values())).toBe(80);
		expect([...image.threads.sinceMs.subarray(0, 2)]).toEqual([100, 40]);
	});

	test('when counters run out threads are given up before lines', () => {
		const {count, read} = newTable({...defaultShape, counters: 64, maxSlabs: 1});
		count(Array.from({length: 200}, (_, index) => ({key: index + 1, frames: [`A.m${index % 4}`]})));
		const image = read();
		const lines = sumsByName(rowsOf(image.counters).map(({node, ticks}) => [stackText(image, node), ticks]));
		expect(lines).toEqual({'A.m0': 50, 'A.m1': 50, 'A.m2': 50, 'A.m3': 50});
	});
});

test('CPU time below 0, where more was recorded than used, takes off what was counted there, without a tick', () => {
	const {count, read} = newTable();
	const use = (cpuNs: number, atMs: number) =>
		count([{
			key: 1,
			state: 3,
			frames: ['Object.wait', 'Main.run'],
			attributedCpu: [{cpuNs: 10, frames: ['Main.work']}, {cpuNs, frames: ['(unattributed).(unattributed)']}],
		}], atMs);
	use(70, 1);
	use(-90, 2);
	const image = read();
	expect(countersOf(image))
		.toEqual(new Map([
			['1|Object.wait<Main.run|3', [2, 0]],
			['1|Main.work|1', [0, 20]],
			['1|(unattributed).(unattributed)|1', [0, -20]],
		]));
	expect(image.figures.threadSamples).toBe(2);
});

describe('threads', () => {
	function counted(
		samples: Array<{atMs: number; threads: DrawnThread[]}>,
		accepts?: (name: string) => boolean,
	): TableImage {
		const {count, read} = newTable();
		for (const {atMs, threads} of samples) {
			count(threads, atMs, accepts);
		}

		return read();
	}

	const waits = {key: 1, state: 3, frames: ['Object.wait', 'Main.run']};

	const blocked: DrawnThread = {
		key: 1,
		state: stateCode.BLOCKED,
		frames: ['Pool.take', 'Main.run'],
		lock: {kind: lockKindCode.monitor, className: 'Pool', owner: 1},
	};
	const wakes = {...blocked, cpuNs: 50_000};
	const lockedBy = (owner: number, className = 'Pool'): DrawnThread => ({
		...wakes,
		lock: {kind: lockKindCode.monitor, className, owner},
	});

	test.each([
		['stands', [waits, waits, waits], 10],
		['has moved', [waits, {...waits, frames: ['Object.wait', 'Main.other']}, waits], 30],
		['has used CPU', [waits, {...waits, cpuNs: 5}, waits], 20],
		['has changed its state', [waits, waits, {...waits, state: 4}], 30],
		['was away', [waits, undefined, waits], 30],
		['is blocked, wakes and goes on waiting', [blocked, wakes, wakes], 10],
		['is blocked, and used more than waking takes', [blocked, {...blocked, cpuNs: 1_500_000}, wakes], 20],
		['waits for another holder', [blocked, wakes, lockedBy(2)], 30],
		['waits for another lock', [blocked, wakes, lockedBy(1, 'Queue')], 30],
		['waits for who knows whom', [blocked, lockedBy(-1), wakes], 10],
	])('a thread that %s: since when it stands there', (_, rows, sinceMs) => {
		const {threads}
			= counted(rows.map((row, index) => ({
				atMs: 10 * (index + 1),
				threads: [...(row ? [row] : []), {key: 2}, {key: 3}],
			})));
		expect(threads.sinceMs[0]).toBe(sinceMs);
	});

	test('who stood where it stands in the first sample may have done so for longer; who came or moved later has not', () => {
		const stands = (threads: DrawnThread[]) =>
			[...counted([{atMs: 10, threads: [waits, {key: 2}]}, {atMs: 20, threads}]).threads.flags].map(flags =>
				flags & threadFlag.unmovedSinceStart);
		expect(stands([waits, {key: 2, frames: ['Main.goes']}, {key: 3}])).toEqual([
			threadFlag.unmovedSinceStart,
			0,
			0,
		]);
		expect(stands([{...waits, cpuNs: 1}, {key: 2}])).toEqual([0, threadFlag.unmovedSinceStart]);
	});

	test('only accepted names count; who holds them up is known all the same', () => {
		const image = counted([{
			atMs: 1,
			threads: [
				{key: 1, name: safe`http-1`, state: 2, lock: {kind: 1, className: 'L', owner: 2}},
				{key: 2, name: safe`idle`},
				{key: 3, name: safe`writer`, frames: ['A.holds'], isIncomplete: true},
			],
		}], name => name.startsWith('http-'));
		expect(image.figures).toMatchObject({threadSamples: 1, incompleteStacks: 0});
		expect([...image.threads.key]).toEqual([1, 3]);
		expect([...image.threads.alive]).toEqual([1, 0]);
		expect(image.threads.lockOwner[0]).toBe(1);
		expect(stackText(image, image.threads.node[1])).toBe('A.holds');
		expect([...countersOf(image).keys()]).toEqual(['1||2']);
		expect([...contentionOf(image).keys()]).toEqual(['1||1|L|3|A.holds|']);
	});
});

describe('names', () => {
	test('come back as they went in, over slab borders; long ones are cut', () => {
		const {writer, read} = newTable(tiny);
		const names = [
			'',
			'a',
			'é'.repeat(300),
			'\u{1F600}'.repeat(256),
			'€'.repeat(512),
			'x'.repeat(513),
			`${'y'.repeat(510)}\u{1F600}z`,
		];
		names.push(...Array.from({length: 40}, (_, index) => `${index}`.repeat(100)));
		const ids = names.map(name => writer.internString(name));
		expect(names.map(name => writer.internString(name))).toEqual(ids);
		writer.publish(zeroFigures);
		const {strings} = read().dictionary;
		expect(ids.map(id => strings[id]))
			.toEqual(names.map(name =>
				name.length > 512 ? `${name.slice(0, 511).replace(/[\uD800-\uDBFF]$/, '')}…` : name));
	});

	test('hold nothing that a terminal obeys, for any names of the target', () => {
		const {writer, read} = newTable(tiny);
		const id = writer.internString('\u001B[2J\u202Eevil');
		writer.publish(zeroFigures);
		expect(read().dictionary.strings[id]).toBe(String.raw`\x1b[2J\u202eevil`);
	});

	test('of threads come back as each thread had them last, those of the dead too, in no more room than these take', () => {
		const {count, read} = newTable({...tiny, maxSlabs: 4});
		const kept: Array<{image: TableImage; names: string[]}> = [];
		for (let round = 0; round < 400; round++) {
			// Each thread keeps its name for some rounds; two have the same; from the tenth on one is not there any
			// more.
			const names = [
				'pool',
				'pool',
				'gone',
				...Array.from(
					{length: 8},
					(_, thread) => `request ${Math.floor((round + thread) / 3)} ${'é'.repeat((round * thread) % 250)}`,
				),
			];
			const threads = names.map((name, index) => ({key: index + 1, name: printable(name), frames: ['A.b']}));
			count(threads.filter(({name}) => name !== 'gone' || round < 10), round);
			kept.push({image: read(), names});
		}

		for (const {image, names} of kept) {
			expect(Array.from(image.threads.key, key => names[key - 1])).toEqual(image.threads.name);
		}

		expect(kept.at(-1)!.image.dictionary.strings).toEqual(['', otherName, 'A', 'b', 'A.java']);
	});
});

test('a sample counts as often as it is said to, and for the one before it too: its ticks each time, CPU time once', () => {
	const {count, read} = newTable();
	const waiting: DrawnThread[] = [{
		key: 1,
		state: stateCode.BLOCKED,
		frames: ['A.a'],
		isIncomplete: true,
		lock: {kind: lockKindCode.monitor, className: 'L', owner: 1},
	}, {key: 2, state: stateCode.WAITING, frames: ['B.b']}];
	const working: DrawnThread[] = [waiting[0], {key: 2, state: stateCode.RUNNABLE, frames: ['B.work'], cpuNs: 7}];
	expect(count(waiting, 1, undefined, {before: 2, now: 3})).toBe(true);
	expect(count(working, 2, undefined, {before: 4, now: 1})).toBe(true);
	const image = read();
	// There was none before the first.
	expect(image.figures).toMatchObject({samples: 10, threadSamples: 20, incompleteStacks: 10});
	expect(countersOf(image)).toEqual(new Map([
		[`1|A.a|${stateCode.BLOCKED}`, [10, 0]],
		[`2|B.b|${stateCode.WAITING}`, [9, 0]],
		[`2|B.work|${stateCode.RUNNABLE}`, [1, 7]],
	]));
	expect([...contentionOf(image).values()]).toEqual([9, 1]);
});

test('of a sample that counts for several, a running thread\'s ticks count at its recorded stacks', () => {
	const {count, read} = newTable();
	const attributedCpu = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(name => ({
		cpuNs: 10,
		frames: [`A.${name}`, 'A.run'],
	}));
	count([
		{key: 1, state: stateCode.RUNNABLE, frames: ['A.h', 'A.run'], attributedCpu},
		{key: 2, state: stateCode.WAITING, frames: ['B.park'], attributedCpu: [{cpuNs: 3, frames: ['B.work']}]},
		{key: 3, state: stateCode.RUNNABLE, frames: ['C.c'], attributedCpu: [{cpuNs: 5, frames: ['C.c']}]},
	], 1, undefined, {before: 0, now: 4});
	const image = read();
	expect(image.figures).toMatchObject({samples: 4, threadSamples: 12});
	const ticks = new Map([...countersOf(image)].map(([counter, [ticks]]) => [counter, ticks]));
	expect(ticks).toEqual(new Map([
		...[...'abcdefgh'].map((name, index) => [`1|A.${name}<A.run|${stateCode.RUNNABLE}`, index % 2] as const),
		[`2|B.park|${stateCode.WAITING}`, 4],
		[`2|B.work|${stateCode.RUNNABLE}`, 0],
		[`3|C.c|${stateCode.RUNNABLE}`, 4],
	]));
});

test('a sample that the lock came too late for counts nowhere, nor does the one before it once more; the next one counts, and an error lets go of the lock', () => {
	const {words, writer, sample, count, read} = newTable();
	const threads: DrawnThread[] = [{key: 1, frames: ['A.a'], cpuNs: 5}];
	count(threads);
	words[word.lock] = 1;
	expect(count([...threads, {key: 2, frames: ['B.b']}], 2, undefined, {before: 3, now: 1})).toBe(false);
	words[word.lock] = 0;
	expect(countersOf(read())).toEqual(new Map([['1|A.a|1', [1, 5]]]));
	expect(read().figures).toMatchObject({samples: 1, threadSamples: 1});
	count(threads, 3);
	expect(countersOf(read())).toEqual(new Map([['1|A.a|1', [2, 10]], ['2|B.b|1', [0, 0]]]));
	const bad = Object.defineProperty({...zeroFigures}, 'late', {
		get(): number {
			throw new Error('no figure');
		},
	});
	for (const action of [() => writer.publish(bad), () => writer.count(drawInto(sample, threads, writer), 5, bad)]) {
		expect(action).toThrow('no figure');
		expect(words[word.lock]).toBe(0);
	}
});
