import {otherFrame, rootNode, unknownLine, type Interner} from './frame.js';
import type {
	Contention, Dictionary, Facts, SessionStats, Snapshot, TargetFacts, ThreadTable,
} from './snapshot.js';
import {stateCode} from './thread-state.js';
import {TupleIndex} from './tuple-index.js';

/** A thread to add; everything but key and name has a default: alive, RUNNABLE, no stack, no lock. Strings are ids. */
export type NewThread = {
	readonly key: number;
	readonly name: number;
	readonly nativeId?: number;
} & ThreadNow;

/** How a thread stands in the newest sample. What is left out stays as it was. */
export type ThreadNow = {
	readonly alive?: boolean;
	/** Bits of `threadFlag`. */
	readonly flags?: number;
	/** State code. */
	readonly state?: number;
	readonly node?: number;
	/** Epoch milliseconds. */
	readonly sinceMs?: number;
	readonly lockKind?: number;
	readonly lockClass?: number;
	/** Thread index, -1 for none. */
	readonly lockOwner?: number;
	readonly lockOwnerFrame?: number;
	readonly carrier?: number;
};

/** One counter of `Contention`, see there. */
export type NewContention = {
	readonly thread: number;
	readonly node: number;
	readonly lockKind: number;
	readonly lockClass?: number;
	readonly owner?: number;
	readonly ownerNode?: number;
	readonly ownerFrame?: number;
	readonly ticks: number;
};

type ThreadRecord = Required<NewThread>;

/** Ids of frames begin behind `noFrame` and `otherFrame` (a builder is never full, and gives the latter to none), those of nodes behind the root. */
const firstFrame = otherFrame + 1;
const firstNode = rootNode + 1;

/**
Builds snapshots in ordinary arrays: for opened files and for tests. It may go on after `build`: the snapshots of one builder are one session, the earlier one a baseline of the later.
Ids given to its methods must be ids that it returned; others are a bug and throw RangeError.
*/
export class SnapshotBuilder implements Interner {
	readonly #strings: string[] = [''];
	readonly #stringIds = new Map<string, number>([['', 0]]);
	/** Class, method, file, line. */
	readonly #frames = new TupleIndex(4);
	/** Parent, frame. */
	readonly #nodes = new TupleIndex(2);
	readonly #threads: ThreadRecord[] = [];
	readonly #threadCpuNs: number[] = [];
	/** Thread, node, state. */
	readonly #facts = new TupleIndex(3);
	readonly #factTicks: number[] = [];
	readonly #factCpuNs: number[] = [];
	/** The fields of `NewContention` but for the ticks, in its order. */
	readonly #contention = new TupleIndex(7);
	readonly #contentionTicks: number[] = [];
	#threadSamples = 0;

	internString(text: string): number {
		let id = this.#stringIds.get(text);
		if (id === undefined) {
			id = this.#strings.push(text) - 1;
			this.#stringIds.set(text, id);
		}

		return id;
	}

	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		for (const id of [classId, methodId, fileId]) {
			within(id, this.#strings.length, 'string');
		}

		return firstFrame + idOf(this.#frames, classId, methodId, fileId, line);
	}

	/** Id of the frame with these names, interned as well. */
	addFrame(className: string, method: string, file: string, line: number): number {
		return this.internFrame(this.internString(className), this.internString(method), this.internString(file), line);
	}

	/** Stack node of these frame ids, innermost first; the empty stack is `rootNode`. */
	addStack(frames: readonly number[]): number {
		let node = rootNode;
		for (let index = frames.length - 1; index >= 0; index--) {
			node = this.addCallee(node, frames[index]);
		}

		return node;
	}

	/** Stack node of a frame called from the stack `parent`. */
	addCallee(parent: number, frame: number): number {
		within(parent, firstNode + this.#nodes.size, 'node');
		within(frame, firstFrame + this.#frames.size, 'frame');
		return firstNode + idOf(this.#nodes, parent, frame);
	}

	/** Adds a thread and returns its index. */
	addThread(thread: NewThread): number {
		this.#threadCpuNs.push(0);
		return this.#threads.push({
			nativeId: 0, flags: 0, alive: true, state: stateCode.RUNNABLE, node: rootNode, sinceMs: 0, lockKind: 0, lockClass: 0, lockOwner: -1, lockOwnerFrame: 0, carrier: -1, ...thread,
		}) - 1;
	}

	/** Says how a thread stands in the newest sample. */
	setNow(thread: number, now: ThreadNow): void {
		within(thread, this.#threads.length, 'thread');
		this.#threads[thread] = {...this.#threads[thread], ...now};
	}

	/** Counts samples of a thread at a stack in a state, with the CPU time (nanoseconds) that they carried. */
	count(thread: number, node: number, state: number, ticks: number, cpuNs: number): void {
		within(thread, this.#threads.length, 'thread');
		within(node, firstNode + this.#nodes.size, 'node');
		const fact = idOf(this.#facts, thread, node, state);
		this.#factTicks[fact] = (this.#factTicks[fact] ?? 0) + ticks;
		this.#factCpuNs[fact] = (this.#factCpuNs[fact] ?? 0) + cpuNs;
		this.#threadCpuNs[thread] += cpuNs;
		this.#threadSamples += ticks;
	}

	/** Counts samples in which one thread was held up by another. */
	addContention({thread, node, lockKind, lockClass = 0, owner = -1, ownerNode = rootNode, ownerFrame = 0, ticks}: NewContention): void {
		const id = idOf(this.#contention, thread, node, lockKind, lockClass, owner, ownerNode, ownerFrame);
		this.#contentionTicks[id] = (this.#contentionTicks[id] ?? 0) + ticks;
	}

	/** Everything counted so far. Facts of the target and the session that are left out are empty or 0; `threadSamples` is the sum of the ticks, `sampledMs` all of `durationMs`. */
	build(about: {readonly target?: Partial<TargetFacts>; readonly session?: Partial<SessionStats>} = {}): Snapshot {
		return {
			target: {
				pid: 0, mainClass: '', command: '', jvmVersion: '', vm: '', user: '', startedAtMs: 0, ...about.target,
			},
			session: {
				engine: '', requestedIntervalMs: 0, intervalMs: 0, startedAtMs: 0, takenAtMs: 0, durationMs: 0, sampledMs: about.session?.durationMs ?? 0, lastSampleAtMs: 0, samples: 0, late: 0, failed: 0,
				threadSamples: this.#threadSamples, incompleteStacks: 0, refusedThreads: 0, lateThreads: 0, otherTicks: 0, targetStoppedMs: 0, pauseP50Us: 0, pauseP99Us: 0, pauseWorstUs: 0, selfCpuMs: 0, ...about.session,
			},
			dictionary: this.#dictionary(),
			threads: this.#threadTable(),
			facts: this.#factTable(),
			contention: this.#contentionTable(),
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
			key: Float64Array.from(threads, thread => thread.key),
			nativeId: Int32Array.from(threads, thread => thread.nativeId),
			name: Int32Array.from(threads, thread => thread.name),
			flags: Uint8Array.from(threads, thread => thread.flags),
			alive: Uint8Array.from(threads, thread => thread.alive ? 1 : 0),
			state: Uint8Array.from(threads, thread => thread.state),
			node: Int32Array.from(threads, thread => thread.node),
			sinceMs: Float64Array.from(threads, thread => thread.sinceMs),
			cpuNs: Float64Array.from(this.#threadCpuNs),
			lockKind: Uint8Array.from(threads, thread => thread.lockKind),
			lockClass: Int32Array.from(threads, thread => thread.lockClass),
			lockOwner: Int32Array.from(threads, thread => thread.lockOwner),
			lockOwnerFrame: Int32Array.from(threads, thread => thread.lockOwnerFrame),
			carrier: Int32Array.from(threads, thread => thread.carrier),
		};
	}

	#factTable(): Facts {
		const facts = this.#facts;
		return {
			count: facts.size,
			thread: facts.column(0),
			node: facts.column(1),
			state: Uint8Array.from(facts.column(2)),
			ticks: Int32Array.from(this.#factTicks),
			cpuNs: Float64Array.from(this.#factCpuNs),
		};
	}

	#contentionTable(): Contention {
		const rows = this.#contention;
		return {
			count: rows.size,
			thread: rows.column(0),
			node: rows.column(1),
			lockKind: Uint8Array.from(rows.column(2)),
			lockClass: rows.column(3),
			owner: rows.column(4),
			ownerNode: rows.column(5),
			ownerFrame: rows.column(6),
			ticks: Int32Array.from(this.#contentionTicks),
		};
	}
}

function idOf(index: TupleIndex, ...tuple: readonly number[]): number {
	index.key.set(tuple);
	return index.intern();
}

function within(id: number, count: number, what: string): void {
	if (!Number.isInteger(id) || id < 0 || id >= count) {
		throw new RangeError(`no ${what} has the id ${id}`);
	}
}
