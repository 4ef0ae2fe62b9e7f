import {safe} from '../../util/printable.js';
import {pseudoFrame, unknownStack} from '../../model/frame.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {type JvmStacks} from '../../model/jvm-stacks.js';
import {endedThreadsKey, endedThreadsName, threadFlag, type Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {type EngineOptions} from '../common/engine.js';
import {firstWithVirtualThreads} from '../../model/snapshot.js';
import {type RecordedStack} from './cpu/perf/recorded-stack.js';
import {type PerfTimer} from './cpu/perf/perf-timer.js';
import {type ObservedThreads} from './cpu/ptrace/observed-threads.js';
import {type Jvm} from './hotspot/jvm.js';
import {type VirtualIdentity} from './hotspot/thread-object.js';
import {Locks} from './locks/locks.js';
import {compilationStack} from './threads/compilations.js';
import {type Holder, type JavaThread} from './threads/java-thread.js';
import {RowCache} from './threads/row-cache.js';
import {ShownStates} from './threads/shown-states.js';
import {UnmountedThreads} from './virtual/unmounted-threads.js';
import {VirtualKinds, type VirtualKind} from './virtual/virtual-kinds.js';
import {type VmThreads} from './threads/vm-threads.js';

/** Longest cycle of waiting threads that is recognized as a deadlock. */
const maxDeadlocked = 64;

/**
A perf record of a virtual thread that is no longer mounted. `carrier`: its carrier's row; `carried`: the row of what
the carrier carries now.
*/
type UnmountedRecord = {
	readonly kind: VirtualKind;
	readonly key: number;
	readonly carrier: number;
	readonly carried: number;
	readonly periodNs: number;
	/** Its frames outside Java code, and those in it. */
	readonly parts: ReadonlyArray<ArrayLike<number>>;
};

/** Has `perf` if perf events are used, `observedThreads` if threads are stopped. */
type Parts = {
	readonly vmThreads: VmThreads;
	readonly jvmStacks: JvmStacks;
	readonly perf?: PerfTimer;
	readonly observedThreads?: ObservedThreads;
};

/** Fills samples with the rows of all threads: state, stack, lock and CPU time. */
export class SampleRows {
	/** Undefined if unmounted virtual threads are not read. */
	readonly unmountedThreads?: UnmountedThreads;
	readonly #jvm: Jvm;
	readonly #parts: Parts;
	readonly #locks: Locks;
	readonly #states: ShownStates;
	readonly #maxFrames: number;
	/** Frame of running threads whose stacks could not be read, so that their CPU time counts somewhere. */
	readonly #unknownFrame: number;
	readonly #cache = new RowCache();
	/** Threads of this sample whose locks may have holders. */
	readonly #lockWaiters: JavaThread[] = [];
	readonly #kinds: VirtualKinds;
	/** Rows of mounted virtual threads, and of ended threads that hold locks, by their Java ids. */
	readonly #rowsById = new Map<number, number>();
	readonly #unmountedRecords: UnmountedRecord[] = [];

	constructor(jvm: Jvm, {depth, extraIdle, maxVirtualThreads = 0, fileWait}: EngineOptions, parts: Parts) {
		this.#jvm = jvm;
		this.#parts = parts;
		this.#maxFrames = depth;
		this.#states = new ShownStates(jvm, extraIdle);
		this.#kinds = new VirtualKinds(jvm.methods);
		this.#locks = new Locks(jvm);
		if (jvm.vm.release >= firstWithVirtualThreads && maxVirtualThreads > 0) {
			this.unmountedThreads = new UnmountedThreads(jvm, maxVirtualThreads, {
				kinds: this.#kinds,
				locks: this.#locks,
				fileWait,
			});
		}

		this.#unknownFrame = pseudoFrame(jvm.interner, unknownStack);
	}

	/** Fills a sample that covers `repeats` intervals. `newThreads`: those of `threads` listed for the first time. */
	fill(
		into: Sample,
		threads: readonly JavaThread[],
		{newThreads, repeats}: {readonly newThreads: readonly JavaThread[]; readonly repeats: number},
	): void {
		this.#cache.start(into);
		into.isObservation = !this.#parts.perf;
		this.#locks.start(threads);
		this.#states.start(repeats);
		this.#lockWaiters.length = 0;
		this.#unmountedRecords.length = 0;
		this.#rowsById.clear();
		this.unmountedThreads?.read(threads);
		for (const thread of threads) {
			if (!(thread.isSettled && this.#cache.reuse(thread))) {
				this.#addOrReuse(into, thread);
			}
		}

		this.#addEnded(into, this.#parts.perf?.endedStacks ?? []);
		this.#parts.vmThreads.add(into, this.#cache, {
			java: threads,
			newThreads,
			repeats,
			stackPointers: this.#parts.perf?.stackPointers,
		});
		this.#addUnmountedThreads(into);
		this.#fillHolders(into, threads[0]?.presence.listNumber ?? 0);
		// Last, so that all other rows keep their indices.
		this.#addUnmountedRecords(into);
		this.#cache.end();
	}

	/** Empties a failed sample. */
	forget(sample: Sample): void {
		this.#cache.forget(sample);
	}

	/** Finds what a thread does that may have changed, and adds it unless its row can be used again. */
	#addOrReuse(into: Sample, thread: JavaThread): void {
		this.#states.update(thread);
		this.#locks.update(thread);
		if (thread.lock.last?.readHolder) {
			this.#lockWaiters.push(thread);
		}

		if (!this.#cache.reuse(thread)) {
			// A carrier has two rows: its own and the virtual thread's.
			this.#cache.setFilled(thread, this.#addThread(into, thread), !thread.stack.hasVirtualThread);
		} else if (thread.records.isRecorded) {
			this.#addRecorded(into, thread, thread.row.index, thread.row.index);
		}
	}

	/**
	Adds a thread and, if any, the virtual thread mounted on it; returns the latter's row, otherwise the thread's.
	*/
	#addThread(into: Sample, thread: JavaThread): number {
		const {description, stack: {frames, end, hasVirtualThread, isHeapMissing}} = thread;
		if (hasVirtualThread) {
			return this.#addMounted(into, thread);
		}

		const row = into.addThread(description.key, thread.nativeId, description.name);
		into.flags[row] = description.flags | (end === 'broken' || isHeapMissing ? threadFlag.incomplete : 0);
		this.#setCurrent(into, row, thread);
		this.#addFrames(into, frames, 0, frames.length);
		// A compiler thread has no Java frames.
		const isCompiler = (description.flags & threadFlag.compiler) !== 0;
		if (frames.length === 0 && end === 'broken' && description.state === stateCode.RUNNABLE && !isCompiler) {
			into.addFrame(this.#unknownFrame);
		}

		this.#attribute(into, thread, row, row);
		return row;
	}

	/** Sets what a thread does at the moment: in its row, or in that of the virtual thread mounted on it. */
	#setCurrent(into: Sample, row: number, {cpu, state, lock}: JavaThread): void {
		into.cpuNs[row] = cpu.usedNs;
		into.runDelayNs[row] = cpu.runDelayNs;
		into.state[row] = state.code;
		into.lockKind[row] = lock.kind;
		into.lockClass[row] = lock.className;
	}

	/**
	Adds a carrier, as waiting, and its mounted virtual thread, which gets all the CPU time. Virtual threads of the same
	kind that a carrier runs one after the other share a row of the table.
	*/
	#addMounted(into: Sample, thread: JavaThread): number {
		const {description, mounted: {identity}, stack: {frames, carrierStart, end, isHeapMissing}} = thread;
		const incomplete = end === 'broken' ? threadFlag.incomplete : 0;
		const carrier = into.addThread(description.key, thread.nativeId, description.name);
		into.flags[carrier] = description.flags | threadFlag.carrier | incomplete;
		into.state[carrier] = stateCode.WAITING;
		this.#addFrames(into, frames, carrierStart, frames.length);
		const isWhole = incomplete === 0 && !isHeapMissing;
		const kind = this.#kinds.kindOf(isWhole ? frames.subarray(0, carrierStart) : undefined, identity);
		const row = into.addThread(this.#kinds.keyOf(`${kind.id} ${description.key}`), thread.nativeId, kind.name);
		into.flags[row] = threadFlag.virtual | threadFlag.daemon | (isHeapMissing ? threadFlag.incomplete : incomplete);
		this.#setCurrent(into, row, thread);
		into.carrier[row] = carrier;
		if (identity) {
			this.#rowsById.set(identity.id, row);
		}

		this.#addFrames(into, frames, 0, carrierStart);
		this.#attribute(into, thread, row, carrier);
		return row;
	}

	#attribute(into: Sample, thread: JavaThread, row: number, carrier: number): void {
		this.#addRecorded(into, thread, row, carrier);
		this.#parts.observedThreads?.add(into, thread, row);
		if ((thread.description.flags & threadFlag.compiler) !== 0 && thread.cpu.usedNs > 0) {
			into.addAttributedCpu(row, thread.cpu.usedNs, compilationStack(this.#jvm, this.#parts.jvmStacks, thread));
		}
	}

	/**
	Adds a thread's perf records: those of the still mounted virtual thread to `row`, those of the carrier itself to
	`carrier`, and those of virtual threads that it carried before to their kinds, by `#addUnmountedRecords`. If the
	thread's CPU time is unknown, it is the sum of its records.
	*/
	#addRecorded(into: Sample, thread: JavaThread, row: number, carrier: number): void {
		let recordedNs = 0;
		for (
			const {periodNs, frames, nativeFrames, carrierStart, isMounted, isHeapMissing, end}
			of this.#parts.perf?.newStacks(thread) ?? []
		) {
			const isVirtual = carrierStart >= 0;
			recordedNs += periodNs;
			if (isVirtual && !(isMounted && row !== carrier)) {
				const stack = frames.subarray(0, carrierStart);
				const kind = this.#kinds.kindOf(isHeapMissing || end === 'broken' ? undefined : stack);
				this.#unmountedRecords.push({
					kind,
					key: this.#kinds.keyOf(`${kind.id} ${thread.description.key}`),
					carrier,
					carried: row,
					periodNs,
					parts: [nativeFrames, stack.subarray(0, this.#maxFrames)],
				});
				into.cpuNs[row] -= periodNs;
			} else {
				const end = Math.min(isVirtual ? carrierStart : frames.length, this.#maxFrames);
				into.addAttributedCpu(row, periodNs, nativeFrames, frames.subarray(0, end));
			}
		}

		if (!thread.cpu.isKnown) {
			into.cpuNs[row] += recordedNs;
		}
	}

	/** Adds a row for each group of unmounted virtual threads. */
	#addUnmountedThreads(into: Sample): void {
		for (const group of this.unmountedThreads?.groups ?? []) {
			if (group.count === 0 || this.#cache.reuse(group)) {
				continue;
			}

			const row = into.addThread(group.key, 0, group.kind.name);
			into.flags[row] = threadFlag.virtual | threadFlag.daemon
				| (group.isUnmovedSinceStart ? threadFlag.unmovedSinceStart : 0);
			into.state[row] = group.state;
			into.members[row] = group.count;
			into.atNodeSinceMs[row] = group.sinceMs;
			into.lockKind[row] = group.wait.kind;
			into.lockClass[row] = group.wait.className;
			into.lockReaders[row] = group.wait.holder?.readers ?? 0;
			into.waitKind[row] = group.wait.fileKind;
			into.waitPeer[row] = group.wait.filePeer;
			this.#addFrames(into, group.frames, 0, group.frames.length);
			group.setFilled();
			this.#cache.setFilled(group, row);
		}
	}

	/** Sets the owners of locks, now that all threads have their rows. `listNumber`: that of this sample's threads. */
	#fillHolders(into: Sample, listNumber: number): void {
		const rowOf = ({thread, virtualId = 0, ended}: Holder): number => {
			if (thread) {
				return thread.presence.listNumber === listNumber ? thread.row.index : -1;
			}

			if (ended) {
				return getOrCreate(this.#rowsById, ended.id, () => {
					const row = into.addThread(ended.id, 0, ended.name);
					into.state[row] = stateCode.TERMINATED;
					return row;
				});
			}

			const group = this.unmountedThreads?.groupOf(virtualId);
			return this.#rowsById.get(virtualId) ?? (group && group.count > 0 ? group.row.index : -1);
		};

		for (const thread of this.#lockWaiters) {
			this.#locks.fillHolder(into, thread, rowOf);
		}

		for (const {count, row, wait: {holder}} of this.unmountedThreads?.groups ?? []) {
			if (count > 0) {
				// First, as it may add a row, for which the arrays may have to grow.
				const owner = holder ? rowOf(holder) : -1;
				into.lockOwner[row.index] = owner;
			}
		}

		this.#nameDeadlocked(into);
	}

	/** Names each virtual thread of a deadlock, because their kinds' names may be the same. */
	#nameDeadlocked(into: Sample): void {
		for (const {row, mounted} of this.#lockWaiters) {
			nameIfDeadlocked(into, row.index, mounted.identity);
		}

		for (const group of this.unmountedThreads?.groups ?? []) {
			if (group.wait.holder) {
				nameIfDeadlocked(into, group.row.index, this.unmountedThreads?.threadOf(group));
			}
		}
	}

	/**
	Adds the CPU time of virtual threads that were unmounted since the previous sample, which `#addRecorded` subtracted
	from what their carrier used: to the row of its current virtual thread if that is of the same kind, otherwise to a
	new row.
	*/
	#addUnmountedRecords(into: Sample): void {
		const rows = new Map<number, number>();
		for (const {kind, key, carrier, carried, periodNs, parts} of this.#unmountedRecords) {
			let row = rows.get(key) ?? (into.key[carried] === key ? carried : undefined);
			if (row === undefined) {
				row = into.addThread(key, 0, kind.name);
				into.flags[row] = threadFlag.virtual | threadFlag.daemon;
				into.state[row] = stateCode.TERMINATED;
				into.carrier[row] = carrier;
			}

			rows.set(key, row);
			into.cpuNs[row] += periodNs;
			into.addAttributedCpu(row, periodNs, ...parts);
		}
	}

	/** Adds one row for all threads that started and ended between two samples, of which only records are known. */
	#addEnded(into: Sample, endedStacks: readonly RecordedStack[]): void {
		if (endedStacks.length === 0) {
			return;
		}

		const row = into.addThread(endedThreadsKey, 0, endedThreadsName);
		into.state[row] = stateCode.TERMINATED;
		for (const {periodNs, frames, nativeFrames} of endedStacks) {
			into.cpuNs[row] += periodNs;
			into.addAttributedCpu(row, periodNs, nativeFrames, frames.subarray(0, this.#maxFrames));
		}
	}

	#addFrames(into: Sample, frames: Int32Array, start: number, end: number): void {
		into.addFrames(frames.subarray(start, Math.min(end, start + this.#maxFrames)));
	}
}

/** If a row waits for itself through lock holders, it gets the name of its virtual thread, or its id as text. */
function nameIfDeadlocked(into: Sample, row: number, thread?: VirtualIdentity): void {
	let holder = into.lockOwner[row];
	for (let step = 0; step < maxDeadlocked && holder >= 0 && holder !== row; step++) {
		holder = into.lockOwner[holder];
	}

	const name = thread && (thread.name || safe`VirtualThread[#${thread.id}]`);
	if (holder === row && name !== undefined && into.name[row] !== name) {
		into.name[row] = name;
		into.isSame[row] = 0;
	}
}
