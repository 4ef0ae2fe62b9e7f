import {performance} from 'node:perf_hooks';
import type {Printable} from '../util/printable.js';
import {
	fromNames, makeArrays, namesOf, newArray, pick, select, type Arrays, type Columns,
} from '../model/column-types.js';
import {
	contentionColumns, counterColumns, eventColumns, frameColumns, nodeColumns, threadNumbers,
} from '../model/schema.js';
import type {Contention, Dictionary, Counters, Events, ThreadTable} from '../model/snapshot.js';
import {AppendOnlyCopy, TableViews, type SlabColumn} from './views.js';
import {countWord, figureNames, regionNames, word, type Figures, type RegionName} from './table-layout.js';
import {acquireLock, releaseLock} from './lock.js';

/** A copy of the table at one moment: the parts of a Snapshot that come from it, and the figures. */
export type TableImage = {
	readonly dictionary: Dictionary;
	readonly threads: ThreadTable;
	readonly counters: Counters;
	readonly contention: Contention;
	readonly events: Events;
	readonly figures: Readonly<Figures>;
};

/** Columns that change in published rows; the others, the keys, change there only when a slot is reused. */
const counterSums = pick(counterColumns, select(counterColumns, {role: 'sum'}));
const contentionSums = pick(contentionColumns, select(contentionColumns, {role: 'sum'}));
const eventSums = pick(eventColumns, select(eventColumns, {role: 'sum'}));

/** Reads the shared table on the main thread. Under the lock it copies only what can change. */
export class TableReader {
	/** How long the last copy held the lock. */
	lastHeldMs = 0;
	readonly #views: TableViews;
	readonly #texts: Printable[] = [];
	/** Thread names by row, in a new list whenever one changes; and the `nameSerial` of each. */
	#names: readonly Printable[] = [];
	readonly #nameSerials: number[] = [];
	readonly #strings = new AppendOnlyCopy('strings', ['start', 'length']);
	readonly #frames = new AppendOnlyCopy('frames', namesOf(frameColumns));
	readonly #nodes = new AppendOnlyCopy('nodes', namesOf(nodeColumns));
	readonly #counters = new AppendOnlyCopy('counters', select(counterColumns, {role: 'key'}));
	readonly #contention = new AppendOnlyCopy('contention', select(contentionColumns, {role: 'key'}));
	readonly #events = new AppendOnlyCopy('events', select(eventColumns, {role: 'key'}));
	#last: TableImage | undefined;
	/** The header's words `generation` and `reused` at the last copy. */
	#lastGeneration = 0;
	#lastReused = 0;

	constructor(buffer: SharedArrayBuffer) {
		this.#views = new TableViews(buffer);
	}

	/**
	Returns a private copy of the table, the same one until the next publication; undefined if the lock timed out.
	*/
	read(atMostMs: number): TableImage | undefined {
		if (this.#last && Atomics.load(this.#views.words, word.generation) === this.#lastGeneration) {
			return this.#last;
		}

		if (!acquireLock(this.#views.words, atMostMs)) {
			return undefined;
		}

		const heldFromMs = performance.now();
		const counts = fromNames(regionNames, region => Atomics.load(this.#views.words, countWord[region]));
		let tables;
		try {
			this.#views.mapNewSlabs();
			tables = this.#copy(counts);
		} finally {
			releaseLock(this.#views.words);
			this.lastHeldMs = performance.now() - heldFromMs;
		}

		this.#last = {dictionary: this.#dictionary(counts), ...tables};
		return this.#last;
	}

	/** Copies what can change. The lock is held. */
	#copy(counts: Readonly<Record<RegionName, number>>): Omit<TableImage, 'dictionary'> {
		const {regions, words, figures} = this.#views;
		if (words[word.reused] !== this.#lastReused) {
			this.#lastReused = words[word.reused];
			this.#counters.restart();
			this.#contention.restart();
			this.#events.restart();
		}

		this.#counters.extend(regions.counters, counts.counters);
		this.#contention.extend(regions.contention, counts.contention);
		this.#events.extend(regions.events, counts.events);
		this.#readChangedNames(counts.threads);
		this.#lastGeneration = words[word.generation];
		return {
			threads: {
				count: counts.threads,
				...copyOf(threadNumbers, regions.threads, counts.threads),
				name: this.#names,
			},
			counters: {
				count: counts.counters,
				...this.#counters.view(),
				...copyOf(counterSums, regions.counters, counts.counters),
			},
			contention: {
				count: counts.contention,
				...this.#contention.view(),
				...copyOf(contentionSums, regions.contention, counts.contention),
			},
			events: {
				count: counts.events,
				...this.#events.view(),
				...copyOf(eventSums, regions.events, counts.events),
			},
			figures: fromNames(figureNames, (_, index) => figures[index]),
		};
	}

	/** The lock is held. */
	#readChangedNames(count: number): void {
		const {nameLength, nameSerial} = this.#views.regions.threads;
		let names: Printable[] | undefined;
		for (let row = 0; row < count; row++) {
			const serial = nameSerial.get(row);
			if (serial !== this.#nameSerials[row]) {
				this.#nameSerials[row] = serial;
				names ??= [...this.#names];
				names[row] = this.#views.nameOf(row, nameLength.get(row));
			}
		}

		this.#names = names ?? this.#names;
	}

	#dictionary(counts: Readonly<Record<RegionName, number>>): Dictionary {
		const {regions} = this.#views;
		this.#readStrings(counts.strings);
		this.#frames.extend(regions.frames, counts.frames);
		this.#nodes.extend(regions.nodes, counts.nodes);
		return {
			strings: this.#texts,
			frameCount: counts.frames,
			...this.#frames.view(),
			nodeCount: counts.nodes,
			...this.#nodes.view(),
		};
	}

	#readStrings(count: number): void {
		const {bytes: {value}, strings} = this.#views.regions;
		this.#strings.extend(strings, count);
		const {start, length} = this.#strings.view();
		for (let id = this.#texts.length; id < count; id++) {
			this.#texts.push(Buffer.from(value.part(start[id], length[id])).toString('utf8') as Printable);
		}
	}
}

/** Returns a private copy of the first `count` rows of these columns. */
function copyOf<C extends Columns>(
	columns: C,
	from: Readonly<Record<keyof C & string, SlabColumn>>,
	count: number,
): Pick<Arrays<C>, keyof C & string> {
	return makeArrays(columns, namesOf(columns), (column, name) => {
		const array = newArray(column, count);
		from[name].copy(0, count, array);
		return array;
	});
}
