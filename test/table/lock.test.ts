import {Worker} from 'node:worker_threads';
import {once} from 'node:events';
import {performance} from 'node:perf_hooks';
import {describe, expect, onTestFinished, test} from 'vitest';
import {Sample} from '../../source/model/sample.js';
import {createTable, defaultShape, tableHeader, word} from '../../source/table/table-layout.js';
import {acquireLock, releaseLock} from '../../source/table/lock.js';
import {TableReader, type TableImage} from '../../source/table/table-reader.js';
import {TableWriter} from '../../source/table/writer.js';
import {bundle} from '../helpers/bundle.js';
import {sum} from '../helpers/sum.js';
import {drawInto, newTable, renamed, zeroFigures} from './sample-maker.js';

async function second(data: Record<string, unknown>): Promise<Worker> {
	const worker = new Worker(await bundle('test/table/lock-worker.ts'), {workerData: data});
	onTestFinished(async () => {
		await worker.terminate();
	});
	await once(worker, 'message');
	return worker;
}

describe('two threads', () => {
	test.each([0, 1, 100])('lose no increment, spinning %i times', async spins => {
		const table = createTable();
		const words = tableHeader(table);
		const counters = new SharedArrayBuffer(64);
		const plain = new Int32Array(counters);
		const rounds = 300_000;
		const worker = await second({role: 'increment', table, counters, rounds, spins});
		const exited = once(worker, 'exit');
		let torn = 0;
		for (let round = 0; round < rounds; round++) {
			if (!acquireLock(words, 60_000, spins)) {
				throw new Error('lock not free in time');
			}

			const first = plain[0];
			for (const index of plain.keys()) {
				torn += plain[index] === first ? 0 : 1;
				plain[index]++;
			}

			releaseLock(words);
		}

		expect(await exited).toEqual([0]);
		expect(torn).toBe(0);
		expect([...plain]).toEqual(Array.from({length: 16}, () => 2 * rounds));
		expect(words[word.lock]).toBe(0);
	});

	test('every copy that is read while samples are written is consistent', async () => {
		const table = createTable({
			...defaultShape,
			counters: 1024,
			nodes: 512,
			frames: 512,
			threads: 64,
			contention: 128,
			bytes: 4096,
			strings: 512,
			maxSlabs: 512,
		});
		const reader = new TableReader(table);
		const samples = 8000;
		const worker = await second({role: 'write', table, rounds: samples});
		const progress = {isOver: false};
		worker.once('exit', () => {
			progress.isOver = true;
		});
		const seen: TableImage[] = [];
		do {
			const image = reader.read(60_000)!;
			const {figures, counters, threads, dictionary, contention} = image;
			for (let counter = 0; counter < counters.count; counter++) {
				// Strict comparisons on purpose: an index that leads nowhere gives undefined.
				if (
					!(counters.thread[counter] < threads.count && counters.node[counter] < dictionary.nodeCount
						&& dictionary.nodeFrame[counters.node[counter]] < dictionary.frameCount)
				) {
					throw new Error(`counter ${counter} leads nowhere`);
				}
			}

			const sums = [counters.ticks, counters.cpuNs, contention.ticks, threads.cpuNs].map(values => sum(values));
			expect([...sums, figures.threadSamples]).toEqual(Array.from({length: 5}, () => figures.samples * 10));
			expect(threads.name).toEqual(Array.from(threads.sinceMs, (atMs, at) => renamed(threads.key[at], atMs)));
			expect(dictionary.frameMethod.every(id => dictionary.strings[id] !== undefined)).toBe(true);
			if (seen.at(-1) !== image) {
				seen.push(image);
			}

			await new Promise(resolve => {
				setImmediate(resolve);
			});
		} while (!progress.isOver);

		expect(reader.read(0)!.figures.samples).toBe(samples);
		expect(seen.length).toBeGreaterThan(3);
		// Copies taken on the way are as they were.
		for (const {counters, figures} of seen) {
			expect(sum(counters.ticks)).toBe(figures.threadSamples);
		}
	});

	test('a sleeper is woken when the holder lets go', async () => {
		const table = createTable();
		const worker = await second({role: 'hold', table});
		worker.postMessage('release');
		expect(acquireLock(tableHeader(table), 60_000, 0)).toBe(true);
	});
});

test('a holder that died leaves a reader that gives up in time, and can read again when the lock is free', async () => {
	const table = createTable();
	const writer = new TableWriter(table);
	writer.count(drawInto(new Sample(), [{key: 1}], writer), 1, zeroFigures);
	const reader = new TableReader(table);
	const before = reader.read(10);
	writer.count(drawInto(new Sample(), [{key: 1}], writer), 2, zeroFigures);
	const worker = await second({role: 'hold', table});
	await worker.terminate();
	const startMs = performance.now();
	expect(reader.read(20)).toBeUndefined();
	expect(performance.now() - startMs).toBeGreaterThanOrEqual(20);
	expect(reader.read(0)).toBeUndefined();
	expect(before!.figures.samples).toBe(1);
	releaseLock(tableHeader(table));
	expect(reader.read(0)!.figures.samples).toBe(2);
});

describe('the lock word', () => {
	test('says free, held, held with waiters', () => {
		const words = tableHeader(createTable());
		expect(words[word.lock]).toBe(0);
		expect(acquireLock(words, 0)).toBe(true);
		expect(words[word.lock]).toBe(1);
		expect(acquireLock(words, 2)).toBe(false);
		expect(words[word.lock]).toBe(2);
		releaseLock(words);
		expect(words[word.lock]).toBe(0);
	});

	test('nothing to read makes no use of it', () => {
		const {words, writer, read} = newTable();
		writer.publish(zeroFigures);
		const image = read();
		acquireLock(words, 0);
		expect(read()).toBe(image);
	});
});
