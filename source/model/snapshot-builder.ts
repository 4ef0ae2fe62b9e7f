import {rootNode, type Interner} from './frame.js';
import type {
	Contention, Dictionary, Facts, SessionStats, Snapshot, TargetFacts, ThreadTable,
} from './snapshot.js';
import {stateCode} from './thread-state.js';

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
type FactRecord = {readonly thread: number; readonly node: number; readonly state: number; ticks: number; cpuNs: number};
type ContentionRecord = Required<Omit<NewContention, 'ticks'>> & {ticks: number};

/**
Builds snapshots in ordinary arrays: for opened files and for tests. It may go on after `build`: the snapshots of one builder are one session, the earlier one a baseline of the later.
Ids given to its methods must be ids that it returned; others are a bug and throw RangeError.
*/
export class SnapshotBuilder implements Interner {
	readonly #strings: string[] = [''];
	readonly #stringIds = new Map<string, number>([['', 0]]);
	/** By id. The first two are `noFrame` and `otherFrame`; a builder is never full, and gives the latter to none. */
	readonly #frames: Array<readonly [classId: number, methodId: number, fileId: number, line: number]> = [[0, 0, 0, -1], [0, 0, 0, -1]];
	readonly #frameIds = new Map<string, number>();
	readonly #nodeParent = [rootNode];
	readonly #nodeFrame = [0];
	readonly #nodeIds = new Map<string, number>();
	readonly #threads: ThreadRecord[] = [];
	readonly #threadCpuNs: number[] = [];
	readonly #facts: FactRecord[] = [];
	readonly #factIds = new Map<string, number>();
	readonly #contention: ContentionRecord[] = [];
	readonly #contentionIds = new Map<string, number>();
	#threadSamples = 0;

	internString(text: string): number {
		return intern(this.#stringIds, text, () => this.#strings.push(text) - 1);
	}

	internFrame(classId: number, methodId: number, fileId: number, line: number): number {
		for (const id of [classId, methodId, fileId]) {
			within(id, this.#strings.length, 'string');
		}

		return intern(this.#frameIds, `${classId} ${methodId} ${fileId} ${line}`, () => this.#frames.push([classId, methodId, fileId, line]) - 1);
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
		within(parent, this.#nodeParent.length, 'node');
		within(frame, this.#frames.length, 'frame');
		return intern(this.#nodeIds, `${parent} ${frame}`, () => {
			this.#nodeFrame.push(frame);
			return this.#nodeParent.push(parent) - 1;
		});
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
		within(node, this.#nodeParent.length, 'node');
		const fact = this.#facts[intern(this.#factIds, `${thread} ${node} ${state}`, () => this.#facts.push({
			thread, node, state, ticks: 0, cpuNs: 0,
		}) - 1)];
		fact.ticks += ticks;
		fact.cpuNs += cpuNs;
		this.#threadCpuNs[thread] += cpuNs;
		this.#threadSamples += ticks;
	}

	/** Counts samples in which one thread was held up by another. */
	addContention(contention: NewContention): void {
		const {ticks, ...key} = {
			lockClass: 0, owner: -1, ownerNode: rootNode, ownerFrame: 0, ...contention,
		};
		const {thread, node, lockKind, lockClass, owner, ownerNode, ownerFrame} = key;
		const id = intern(this.#contentionIds, [thread, node, lockKind, lockClass, owner, ownerNode, ownerFrame].join(' '), () => this.#contention.push({...key, ticks: 0}) - 1);
		this.#contention[id].ticks += ticks;
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
		return {
			strings: this.#strings,
			frameCount: this.#frames.length,
			frameClass: Int32Array.from(this.#frames, frame => frame[0]),
			frameMethod: Int32Array.from(this.#frames, frame => frame[1]),
			frameFile: Int32Array.from(this.#frames, frame => frame[2]),
			frameLine: Int32Array.from(this.#frames, frame => frame[3]),
			nodeCount: this.#nodeParent.length,
			nodeParent: Int32Array.from(this.#nodeParent),
			nodeFrame: Int32Array.from(this.#nodeFrame),
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
			count: facts.length,
			thread: Int32Array.from(facts, fact => fact.thread),
			node: Int32Array.from(facts, fact => fact.node),
			state: Uint8Array.from(facts, fact => fact.state),
			ticks: Int32Array.from(facts, fact => fact.ticks),
			cpuNs: Float64Array.from(facts, fact => fact.cpuNs),
		};
	}

	#contentionTable(): Contention {
		const rows = this.#contention;
		return {
			count: rows.length,
			thread: Int32Array.from(rows, row => row.thread),
			node: Int32Array.from(rows, row => row.node),
			lockKind: Uint8Array.from(rows, row => row.lockKind),
			lockClass: Int32Array.from(rows, row => row.lockClass),
			owner: Int32Array.from(rows, row => row.owner),
			ownerNode: Int32Array.from(rows, row => row.ownerNode),
			ownerFrame: Int32Array.from(rows, row => row.ownerFrame),
			ticks: Int32Array.from(rows, row => row.ticks),
		};
	}
}

function intern<Key>(ids: Map<Key, number>, key: Key, add: () => number): number {
	let id = ids.get(key);
	if (id === undefined) {
		id = add();
		ids.set(key, id);
	}

	return id;
}

function within(id: number, count: number, what: string): void {
	if (!Number.isInteger(id) || id < 0 || id >= count) {
		throw new RangeError(`no ${what} has the id ${id}`);
	}
}
