import {performance} from 'node:perf_hooks';
import type {
	Contention, Dictionary, Facts, ThreadTable,
} from '../model/snapshot.js';
import {AppendOnlyCopy} from './append-only.js';
import {
	countWord, figureNames, regionNames, word, type Figures, type RegionName,
} from './layout.js';
import {acquireLock, releaseLock} from './lock.js';
import {copyColumn, TableViews} from './views.js';

/** What the table held at one moment: the parts of a Snapshot that lie in it. */
export type TableImage = {
	readonly dictionary: Dictionary;
	readonly threads: ThreadTable;
	readonly facts: Facts;
	readonly contention: Contention;
	readonly figures: Readonly<Figures>;
};

/** Records that may be added between looking at the counts and having the lock; more, and the copy is begun anew with room for what was seen. */
const headroom = 1024;
/** Each further try has room for the count seen under the lock: the writer would have to add over `headroom` records between two tries every time. */
const maxTries = 4;

const threadColumns = {
	key: Float64Array, sinceMs: Float64Array, cpuNs: Float64Array,
	nativeId: Int32Array, name: Int32Array, node: Int32Array, lockClass: Int32Array, lockOwner: Int32Array, lockOwnerFrame: Int32Array, carrier: Int32Array,
	flags: Uint8Array, alive: Uint8Array, state: Uint8Array, lockKind: Uint8Array,
} as const;
type ThreadColumn = keyof typeof threadColumns;
const threadColumnNames = Object.keys(threadColumns) as ThreadColumn[];

/** Where the changing records are copied to: allocated before the lock is taken. */
class Scratch {
	readonly cpuNs: Float64Array;
	readonly ticks: Int32Array;
	readonly contentionTicks: Int32Array;
	readonly threads: Record<ThreadColumn, Float64Array | Int32Array | Uint8Array>;
	readonly figures = new Float64Array(figureNames.length);

	constructor(readonly room: Readonly<Record<RegionName, number>>) {
		this.cpuNs = new Float64Array(room.facts);
		this.ticks = new Int32Array(room.facts);
		this.contentionTicks = new Int32Array(room.contention);
		this.threads = Object.fromEntries(threadColumnNames.map(name => [name, new threadColumns[name](room.threads)])) as Scratch['threads'];
	}

	hasRoomFor(counts: Readonly<Record<RegionName, number>>): boolean {
		return counts.facts <= this.room.facts && counts.threads <= this.room.threads && counts.contention <= this.room.contention;
	}
}

/** Reads the shared table, on the main thread. Only what can change is copied under the lock; what is append-only follows after it. */
export class TableReader {
	/** How long the last copy held the lock. */
	lastHeldMs = 0;
	readonly #views: TableViews;
	readonly #texts: string[] = [];
	readonly #strings = new AppendOnlyCopy('strings', ['start', 'length']);
	readonly #frames = new AppendOnlyCopy('frames', ['class', 'method', 'file', 'line']);
	readonly #nodes = new AppendOnlyCopy('nodes', ['parent', 'frame']);
	readonly #facts = new AppendOnlyCopy('facts', ['thread', 'node', 'state']);
	readonly #contention = new AppendOnlyCopy('contention', ['thread', 'node', 'lockKind', 'lockClass', 'owner', 'ownerNode', 'ownerFrame']);
	#last: TableImage | undefined;
	#lastGeneration = 0;

	/** Takes a table made by `createTable`. */
	constructor(buffer: SharedArrayBuffer) {
		this.#views = new TableViews(buffer);
	}

	/** A private copy of everything counted so far, the last one again when nothing was published since; undefined when the lock was not to be had within `atMostMs`. */
	read(atMostMs: number): TableImage | undefined {
		if (this.#last && Atomics.load(this.#views.words, word.generation) === this.#lastGeneration) {
			return this.#last;
		}

		const deadline = performance.now() + atMostMs;
		let counts = this.#counts();
		for (let tries = 0; tries < maxTries; tries++) {
			const scratch = new Scratch({...counts, threads: counts.threads + headroom, facts: counts.facts + headroom, contention: counts.contention + headroom});
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
		const {facts, contention, threads} = this.#views.regions;
		copyColumn(facts.cpuNs, 0, counts.facts, scratch.cpuNs);
		copyColumn(facts.ticks, 0, counts.facts, scratch.ticks);
		copyColumn(contention.ticks, 0, counts.contention, scratch.contentionTicks);
		for (const name of threadColumnNames) {
			copyColumn(threads[name] as Int32Array[], 0, counts.threads, scratch.threads[name] as Int32Array);
		}

		scratch.figures.set(this.#views.figures);
		this.#lastGeneration = this.#views.words[word.generation];
	}

	#build(counts: Record<RegionName, number>, scratch: Scratch): TableImage {
		const {regions} = this.#views;
		this.#readStrings(counts.strings);
		this.#frames.extend(regions.frames, counts.frames);
		this.#nodes.extend(regions.nodes, counts.nodes);
		this.#facts.extend(regions.facts, counts.facts);
		this.#contention.extend(regions.contention, counts.contention);
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
			threads: {
				count: counts.threads,
				...Object.fromEntries(threadColumnNames.map(name => [name, scratch.threads[name].subarray(0, counts.threads)])) as Omit<ThreadTable, 'count'>,
			},
			facts: {
				count: counts.facts, ...this.#facts.view(), ticks: scratch.ticks.subarray(0, counts.facts), cpuNs: scratch.cpuNs.subarray(0, counts.facts),
			},
			contention: {count: counts.contention, ...this.#contention.view(), ticks: scratch.contentionTicks.subarray(0, counts.contention)},
			figures: Object.fromEntries(figureNames.map((name, index) => [name, scratch.figures[index]])) as Figures,
		};
	}

	#readStrings(count: number): void {
		const {bytes: {value}, strings} = this.#views.regions;
		this.#strings.extend(strings, count);
		const {start, length} = this.#strings.view();
		const share = this.#views.shape.bytes;
		for (let id = this.#texts.length; id < count; id++) {
			const at = start[id] % share;
			const bytes = value[Math.floor(start[id] / share)]?.subarray(at, at + length[id]) ?? [];
			this.#texts.push(Buffer.from(bytes).toString('utf8'));
		}
	}
}
