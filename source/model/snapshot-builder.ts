import {getOrCreate} from '../util/get-or-create.js';
import {printable, safe, type Printable} from '../util/printable.js';
import {TupleIndex} from '../util/tuple-index.js';
import {arrayFrom, fromNames, makeArrays, namesOf, newArray, select, units} from './column-types.js';
import {otherFrame, rootNode, unknownLine, type Interner} from './frame.js';
import {
	contentionColumns,
	counterColumns,
	eventColumns,
	eventKinds,
	sessionFigures,
	squaredUsOf,
	threadNumbers,
	type EventKind,
	type ThreadNumbers,
} from './schema.js';
import type {Dictionary, Counters, SessionStats, Snapshot, TargetInfo, ThreadTable} from './snapshot.js';

/** A thread to add: its name, and other columns, by default alive and each column's `none`. */
type NewThread =
	& {readonly key: number; readonly name: Printable; readonly alive?: boolean}
	& Partial<Record<Exclude<keyof ThreadNumbers, 'alive'>, number>>;

const threadNames = namesOf(threadNumbers);
const counterKey = select(counterColumns, {role: 'key'});
const eventKey = select(eventColumns, {role: 'key'});
type ThreadRow = Record<keyof ThreadNumbers, number> & {readonly name: Printable};
const noThread: Readonly<ThreadRow> = {
	...fromNames(threadNames, name => units[threadNumbers[name].unit].none),
	name: safe``,
	alive: 1,
};
const noFigures: Omit<SessionStats, 'engine' | 'timer'> = fromNames(namesOf(sessionFigures), () => 0);

/** The first ids that are not reserved. */
const firstFrame = otherFrame + 1;
const firstNode = rootNode + 1;

/** Builds snapshots of opened files and for tests. After `build`, more may be added for the session's next snapshot. */
export class SnapshotBuilder implements Interner {
	readonly #strings: Printable[] = [safe``];
	readonly #stringIds = new Map<string, number>([['', 0]]);
	/** Tuples of class, method, file and line. */
	readonly #frames = new TupleIndex(4);
	/** Tuples of parent and frame. */
	readonly #nodes = new TupleIndex(2);
	readonly #threads: ThreadRow[] = [];
	/** Tuples of thread, node and state, and the sums of each. */
	readonly #counters = new TupleIndex(3);
	readonly #sums = {
		ticks: [] as number[],
		cpuNs: [] as number[],
		squaredTicks: [] as number[],
		squaredUs: [] as number[],
	};

	/** Tuples of thread, node and kind, and the sums of each. */
	readonly #events = new TupleIndex(3);
	readonly #eventSums = {amount: [] as number[], squares: [] as number[]};

	#threadSamples = 0;

	internString(name: string): number {
		const text = printable(name);
		return getOrCreate(this.#stringIds, text, () => this.#strings.push(text) - 1);
	}

	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		return firstFrame + idOf(this.#frames, classId, methodId, fileId, line);
	}

	addFrame(className: string, method: string, file: string, line: number): number {
		return this.internFrame(this.internString(className), this.internString(method), this.internString(file), line);
	}

	/** Returns the node of the stack of these frame ids, innermost first; `rootNode` if there are none. */
	addStack(frames: readonly number[]): number {
		let node = rootNode;
		for (let index = frames.length - 1; index >= 0; index--) {
			node = firstNode + idOf(this.#nodes, node, frames[index]);
		}

		return node;
	}

	addThread(thread: NewThread): number {
		return this.#threads.push({...noThread, ...thread, alive: Number(thread.alive ?? true)}) - 1;
	}

	/**
	Counts ticks of a thread at a stack in a state, each in a sample of its own, and as many equal pieces of CPU time.
	*/
	count(thread: number, node: number, state: number, ticks: number, cpuNs: number): void {
		const counter = idOf(this.#counters, thread, node, state);
		add(this.#sums.ticks, counter, ticks);
		add(this.#sums.cpuNs, counter, cpuNs);
		// A sample of one tick adds 1 squared. CPU time without ticks is one piece.
		add(this.#sums.squaredTicks, counter, ticks);
		add(this.#sums.squaredUs, counter, squaredUsOf(cpuNs, Math.max(ticks, 1)));
		this.#threads[thread].cpuNs += cpuNs;
		this.#threadSamples += ticks;
	}

	/** Counts an event of a thread at a stack. */
	countEvent(thread: number, node: number, kind: EventKind, amount: number): void {
		const event = idOf(this.#events, thread, node, eventKinds.indexOf(kind));
		add(this.#eventSums.amount, event, amount);
		add(this.#eventSums.squares, event, Math.ceil((kind === 'alloc' ? amount / 1000 : amount) ** 2));
	}

	/** Returns everything counted so far. Absent figures are 0; `sampledMs` defaults to `durationMs`. */
	build({target, session}: {
		readonly target?: Partial<TargetInfo>;
		readonly session?: Partial<SessionStats>;
	} = {}): Snapshot {
		return {
			target: {
				pid: 0,
				mainClass: safe``,
				command: safe``,
				jvmVersion: safe``,
				vm: safe``,
				user: safe``,
				startedAtMs: 0,
				...target,
			},
			session: {
				engine: safe``,
				timer: safe``,
				...noFigures,
				sampledMs: session?.durationMs ?? 0,
				threadSamples: this.#threadSamples,
				...session,
			},
			dictionary: this.#dictionary(),
			threads: this.#threadTable(),
			counters: this.#counterTable(),
			contention: {
				count: 0,
				...makeArrays(contentionColumns, namesOf(contentionColumns), column => newArray(column, 0)),
			},
			events: {
				count: this.#events.size,
				...makeArrays(
					eventColumns,
					eventKey,
					(column, name) => arrayFrom(column, this.#events.column(eventKey.indexOf(name))),
				),
				...fromNames(namesOf(this.#eventSums), name => Float64Array.from(this.#eventSums[name])),
			},
		};
	}

	#dictionary(): Dictionary {
		const [frames, nodes] = [this.#frames, this.#nodes];
		return {
			strings: this.#strings,
			frameCount: firstFrame + frames.size,
			frameClass: frames.column(0, firstFrame),
			frameMethod: frames.column(1, firstFrame),
			frameFile: frames.column(2, firstFrame),
			frameLine: frames.column(3, firstFrame).fill(unknownLine, 0, firstFrame),
			nodeCount: firstNode + nodes.size,
			nodeParent: nodes.column(0, firstNode),
			nodeFrame: nodes.column(1, firstNode),
		};
	}

	#threadTable(): ThreadTable {
		const threads = this.#threads;
		return {
			count: threads.length,
			name: threads.map(({name}) => name),
			...makeArrays(
				threadNumbers,
				threadNames,
				(column, name) => arrayFrom(column, threads.map(thread => thread[name])),
			),
		};
	}

	#counterTable(): Counters {
		return {
			count: this.#counters.size,
			...makeArrays(
				counterColumns,
				counterKey,
				(column, name) => arrayFrom(column, this.#counters.column(counterKey.indexOf(name))),
			),
			...fromNames(namesOf(this.#sums), name => Float64Array.from(this.#sums[name])),
		};
	}
}

function add(sums: number[], index: number, value: number): void {
	sums[index] = (sums[index] ?? 0) + value;
}

function idOf(index: TupleIndex, ...tuple: readonly number[]): number {
	index.key.set(tuple);
	return index.intern();
}
