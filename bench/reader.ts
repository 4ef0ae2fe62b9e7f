/*
How long the reader holds the lock, and how long a whole read takes, for a table of 50,000 facts (200 threads, stacks of
50 frames) and for a full one; and what counting a sample costs the writer: 200 threads x 50 frames, all stacks known,
and every tenth one new.
*/
import {performance} from 'node:perf_hooks';
import {safe} from '../source/util/printable.js';
import {fromNames, select} from '../source/model/column-types.js';
import {Sample} from '../source/model/sample.js';
import {readerFigures, sessionFigures} from '../source/model/schema.js';
import {createTable, tableHeader} from '../source/table/table-layout.js';
import {acquireLock, releaseLock} from '../source/table/lock.js';
import {TableReader} from '../source/table/table-reader.js';
import {TableWriter} from '../source/table/writer.js';

/** What the sampler says with each sample: the numbers do not matter here. */
const figures = fromNames(
	[...select(sessionFigures, {by: 'sampler'}), ...select(readerFigures, {by: 'sampler'})],
	() => 1,
);
const threads = 200;
const depth = 50;

/** Samples with a new innermost frame each, until there are enough counters. */
class Filler {
	readonly table = createTable();
	readonly writer = new TableWriter(this.table);
	readonly sample = new Sample();
	readonly #frames: number[] = [];
	#round = 0;

	constructor() {
		for (let method = 0; method < 4000; method++) {
			this.#frames.push(this.writer.internFrame(
				this.writer.internString(`com.acme.service.Class${method % 300}`),
				this.writer.internString(`method${method}`),
				0,
				method,
			));
		}
	}

	/** Fills the sample; one in `fresh` threads stands at a new stack, 0 for none. */
	draw(fresh: number): void {
		const {sample} = this;
		sample.clear();
		this.#round += fresh > 0 ? 1 : 0;
		for (let thread = 0; thread < threads; thread++) {
			sample.addThread(thread + 1, thread + 1, safe`worker`);
			const isFresh = fresh > 0 && thread % fresh === 0;
			for (let level = 0; level < depth; level++) {
				sample.addFrame(this.#frames[
					(isFresh && level < 2
						? Math.floor(this.#round / (level === 0 ? 1 : this.#frames.length)) + thread
						: (thread * 7) + level) % this.#frames.length
				]);
			}
		}
	}

	fill(facts: number): void {
		const reader = new TableReader(this.table);
		do {
			for (let round = 0; round < 20; round++) {
				this.draw(1);
				this.writer.count(this.sample, 1, figures);
			}
		} while (reader.read(1000)!.counters.count < facts);
	}
}

function quantiles(values: number[]): string {
	const sorted = Float64Array.from(values).sort();
	return [0.5, 0.99].map(part => (sorted[Math.floor(part * sorted.length)] * 1000).toFixed(0).padStart(6)).join(' ');
}

/** Times of reads of which each finds one sample more. */
function readTimes(filler: Filler, rounds: number): {heldMs: number[]; wholeMs: number[]} {
	const reader = new TableReader(filler.table);
	reader.read(1000);
	const heldMs: number[] = [];
	const wholeMs: number[] = [];
	for (let round = 0; round < rounds; round++) {
		filler.draw(0);
		filler.writer.count(filler.sample, 1, figures);
		const startMs = performance.now();
		reader.read(1000);
		wholeMs.push(performance.now() - startMs);
		heldMs.push(reader.lastHeldMs);
	}

	return {heldMs, wholeMs};
}

function countTimes(filler: Filler, fresh: number, rounds: number): number[] {
	const times: number[] = [];
	for (let round = 0; round < rounds; round++) {
		filler.draw(fresh);
		const startMs = performance.now();
		filler.writer.count(filler.sample, 1, figures);
		times.push(performance.now() - startMs);
	}

	return times;
}

function main(): void {
	console.log('table, microseconds                              p50    p99');
	const small = new Filler();
	countTimes(small, 0, 200);
	console.log(`count 200 threads x 50 frames, all known       ${quantiles(countTimes(small, 0, 500))}`);
	console.log(`count 200 threads x 50 frames, a tenth new     ${quantiles(countTimes(small, 10, 500))}`);
	for (const facts of [50_000, 450_000]) {
		const filler = new Filler();
		filler.fill(facts);
		const {heldMs, wholeMs} = readTimes(filler, 300);
		console.log(`read ${facts} facts: lock held`.padEnd(47) + quantiles(heldMs));
		console.log(`read ${facts} facts: whole`.padEnd(47) + quantiles(wholeMs));
	}

	const words = tableHeader(small.table);
	const startMs = performance.now();
	for (let round = 0; round < 1_000_000; round++) {
		acquireLock(words, 1);
		releaseLock(words);
	}

	console.log(`acquire and release, nobody else: ${(performance.now() - startMs).toFixed(0)} ns`);
}

main();
