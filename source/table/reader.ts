import {performance} from 'node:perf_hooks';
import {
	bytesOf, fromNames, makeArrays, namesOf, newArray, pick, select, type Arrays, type ColumnArray, type Columns,
} from '../model/column-types.js';
import {contentionColumns, counterColumns, threadNumbers} from '../model/schema.js';
import type {
	Contention, Dictionary, Counters, ThreadTable,
} from '../model/snapshot.js';
import {AppendOnlyCopy, TableViews, type SlabColumn} from './views.js';
import {
	countWord, figureNames, regionNames, word, type Figures, type RegionName,
} from './layout.js';
import {acquireLock, releaseLock} from './lock.js';
import {NameReader} from './name-reader.js';

/** What the table held at one moment: the parts of a Snapshot that lie in it. */
export type TableImage = {
	readonly dictionary: Dictionary;
	readonly threads: ThreadTable;
	readonly counters: Counters;
	readonly contention: Contention;
	readonly figures: Readonly<Figures>;
};

/** Records that may be added between looking at the counts and having the lock. */
const headroom = 1024;
/** With more, the copy is tried again with room for the count seen under the lock. */
const maxTries = 4;

/** What changes below a published count, by region: all of a thread's record, the counters of the others. */
const changing = {
	counters: pick(counterColumns, select(counterColumns, {role: 'counter'})),
	contention: pick(contentionColumns, select(contentionColumns, {role: 'counter'})),
	threads: threadNumbers,
} as const;
type Changing = typeof changing;
const changingRegions = namesOf(changing);

/** Where the changing records are copied to: allocated before the lock is taken. */
class Scratch {
	readonly regions: {readonly [R in keyof Changing]: Arrays<Changing[R]>};
	readonly figures = new Float64Array(figureNames.length);

	constructor(readonly room: Readonly<Record<RegionName, number>>) {
		const arrays = <C extends Columns>(columns: C, length: number) => {
			// One piece of memory for all of them: a piece each costs as much as copying some hundred records.
			const memory = new ArrayBuffer(bytesOf(columns, length));
			let end = 0;
			return makeArrays(columns, namesOf(columns), column => {
				const from = end;
				end += bytesOf({column}, length);
				return newArray(column, length, memory, from);
			});
		};

		this.regions = {counters: arrays(changing.counters, room.counters), contention: arrays(changing.contention, room.contention), threads: arrays(changing.threads, room.threads)};
	}

	hasRoomFor(counts: Readonly<Record<RegionName, number>>): boolean {
		return changingRegions.every(region => counts[region] <= this.room[region]);
	}
}

/** Reads the shared table, on the main thread; only what can change is copied under the lock. */
export class TableReader {
	/** How long the last copy held the lock. */
	lastHeldMs = 0;
	readonly #views: TableViews;
	readonly #texts: string[] = [];
	readonly #names: NameReader;
	readonly #strings = new AppendOnlyCopy('strings', ['start', 'length']);
	readonly #frames = new AppendOnlyCopy('frames', ['class', 'method', 'file', 'line']);
	readonly #nodes = new AppendOnlyCopy('nodes', ['parent', 'frame']);
	readonly #counters = new AppendOnlyCopy('counters', select(counterColumns, {role: 'key'}));
	readonly #contention = new AppendOnlyCopy('contention', select(contentionColumns, {role: 'key'}));
	#last: TableImage | undefined;
	#lastGeneration = 0;
	#lastReused = 0;

	/** Takes a table made by `createTable`. */
	constructor(buffer: SharedArrayBuffer) {
		this.#views = new TableViews(buffer);
		this.#names = new NameReader(this.#views);
	}

	/** A private copy of everything counted so far, the same one while nothing is published; undefined without the lock in time. */
	read(atMostMs: number): TableImage | undefined {
		if (this.#last && Atomics.load(this.#views.words, word.generation) === this.#lastGeneration) {
			return this.#last;
		}

		const deadline = performance.now() + atMostMs;
		let counts = this.#counts();
		for (let tries = 0; tries < maxTries; tries++) {
			const scratch = new Scratch({...counts, threads: counts.threads + headroom, counters: counts.counters + headroom, contention: counts.contention + headroom});
			if (!acquireLock(this.#views.words, deadline - performance.now())) {
				return undefined;
			}

			const heldFromMs = performance.now();
			try {
				counts = this.#counts();
				if (scratch.hasRoomFor(counts)) {
					this.#views.follow();
					this.#copy(counts, scratch);
				}
			} finally {
				releaseLock(this.#views.words);
				this.lastHeldMs = performance.now() - heldFromMs;
			}

			if (scratch.hasRoomFor(counts)) {
				this.#last = this.#build(counts, scratch);
				return this.#last;
			}
		}

		return undefined;
	}

	#counts(): Record<RegionName, number> {
		return Object.fromEntries(regionNames.map(region => [region, Atomics.load(this.#views.words, countWord[region])])) as Record<RegionName, number>;
	}

	/** Copies what changes. The lock is held. */
	#copy(counts: Record<RegionName, number>, scratch: Scratch): void {
		for (const region of changingRegions) {
			const from: Readonly<Record<string, SlabColumn>> = this.#views.regions[region];
			for (const [name, into] of Object.entries<ColumnArray>(scratch.regions[region])) {
				from[name].copy(0, counts[region], into);
			}
		}

		if (this.#views.words[word.reused] !== this.#lastReused) {
			this.#lastReused = this.#views.words[word.reused];
			this.#counters.restart();
			this.#contention.restart();
		}

		this.#counters.extend(this.#views.regions.counters, counts.counters);
		this.#contention.extend(this.#views.regions.contention, counts.contention);
		this.#names.copy(counts.threads);
		scratch.figures.set(this.#views.figures);
		this.#lastGeneration = this.#views.words[word.generation];
	}

	#build(counts: Record<RegionName, number>, scratch: Scratch): TableImage {
		const {regions} = this.#views;
		this.#readStrings(counts.strings);
		this.#frames.extend(regions.frames, counts.frames);
		this.#nodes.extend(regions.nodes, counts.nodes);
		const frames = this.#frames.view();
		const nodes = this.#nodes.view();
		return {
			dictionary: {
				strings: this.#texts,
				frameCount: counts.frames,
				frameClass: frames.class,
				frameMethod: frames.method,
				frameFile: frames.file,
				frameLine: frames.line,
				nodeCount: counts.nodes,
				nodeParent: nodes.parent,
				nodeFrame: nodes.frame,
			},
			threads: {count: counts.threads, ...upTo(changing.threads, scratch.regions.threads, counts.threads), name: this.#names.named(counts.threads)},
			counters: {count: counts.counters, ...this.#counters.view(), ...upTo(changing.counters, scratch.regions.counters, counts.counters)},
			contention: {count: counts.contention, ...this.#contention.view(), ...upTo(changing.contention, scratch.regions.contention, counts.contention)},
			figures: fromNames(figureNames, (_, index) => scratch.figures[index]),
		};
	}

	#readStrings(count: number): void {
		const {bytes: {value}, strings} = this.#views.regions;
		this.#strings.extend(strings, count);
		const {start, length} = this.#strings.view();
		for (let id = this.#texts.length; id < count; id++) {
			this.#texts.push(Buffer.from(value.part(start[id], length[id])).toString('utf8'));
		}
	}
}

function upTo<C extends Columns>(columns: C, arrays: Arrays<C>, count: number): Pick<Arrays<C>, keyof C & string> {
	return makeArrays(columns, namesOf(columns), (_, name) => arrays[name].subarray(0, count));
}
