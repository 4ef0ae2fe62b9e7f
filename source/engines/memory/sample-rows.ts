import {pseudoFrame, unknownStack} from '../../model/frame.js';
import {getOrCreate} from '../../model/get-or-create.js';
import {type JvmStacks} from '../../model/jvm-stacks.js';
import {endedThreadsKey, endedThreadsName, threadFlag, type Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {IdleList, idleKind} from '../../jvm/threads/idle.js';
import {type EngineOptions} from '../common/engine.js';
import {firstWithVirtualThreads} from '../../model/snapshot.js';
import {type RecordedStack} from './cpu/perf/recorded-stack.js';
import {type PerfTimer} from './cpu/perf/perf-timer.js';
import {type ObservedThreads} from './cpu/ptrace/observed-threads.js';
import {type Jvm} from './hotspot/jvm.js';
import {javaThreadState} from './hotspot/thread-block.js';
import {type VirtualIdentity} from './hotspot/thread-object.js';
import {Locks} from './locks/locks.js';
import {compilationStack} from './threads/compilations.js';
import {countsAsRunning} from './threads/cpu-times.js';
import {derivedState, isStalled, waitKind} from './threads/derived-state.js';
import {type Holder, type JavaThread} from './threads/java-thread.js';
import {RowCache, flagsOf, hasValidRow} from './threads/row-cache.js';
import {UnmountedThreads} from './virtual/unmounted-threads.js';
import {VirtualKinds, type VirtualKind} from './virtual/virtual-kinds.js';
import {type VmThreads} from './threads/vm-threads.js';

/** Longest cycle of waiting threads that is recognized as a deadlock. */
const maxDeadlocked = 64;

/**
A perf record of a virtual thread that is no longer mounted. `carrier`: its carrier's row; `carried`: the row of what
the carrier carries now.
*/
type UnmountedRecord = {readonly kind: VirtualKind; readonly key: number; readonly carrier: number; readonly carried: number; readonly periodNs: number; readonly frames: readonly number[]};

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
	readonly #idle: IdleList;
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
	#nowMs = 0;
	/** Number of intervals that the current sample covers. */
	#repeats = 1;
	/** Whether a collection was stopping the program in this sample; undefined until needed. */
	#wasCollecting: boolean | undefined;

	constructor(jvm: Jvm, {depth, extraIdle, maxVirtualThreads = 0, fileWait}: EngineOptions, parts: Parts) {
		this.#jvm = jvm;
		this.#parts = parts;
		this.#maxFrames = depth;
		this.#idle = new IdleList(extraIdle);
		this.#kinds = new VirtualKinds(jvm.methods);
		this.#locks = new Locks(jvm);
		if (jvm.vm.release >= firstWithVirtualThreads && maxVirtualThreads > 0) {
			this.unmountedThreads = new UnmountedThreads(jvm, maxVirtualThreads, {kinds: this.#kinds, locks: this.#locks, fileWait});
		}

		this.#unknownFrame = pseudoFrame(jvm.interner, unknownStack);
	}

	/** Fills a sample that covers `repeats` intervals. `newThreads`: those of `threads` listed for the first time. */
	fill(into: Sample, threads: readonly JavaThread[], {newThreads, repeats}: {readonly newThreads: readonly JavaThread[]; readonly repeats: number}): void {
		this.#cache.start(into);
		into.isObservation = !this.#parts.perf;
		this.#locks.start(threads);
		this.#nowMs = performance.now();
		this.#repeats = repeats;
		this.#wasCollecting = undefined;
		this.#lockWaiters.length = 0;
		this.#unmountedRecords.length = 0;
		this.#rowsById.clear();
		this.unmountedThreads?.read(threads);
		for (const thread of threads) {
			if (!(thread.hasValidRow && this.#cache.keepValid(thread))) {
				this.#fillRow(into, thread);
			}
		}

		this.#addEnded(into, this.#parts.perf?.endedStacks ?? []);
		this.#parts.vmThreads.add(into, this.#cache, {java: threads, newThreads, repeats, stackPointers: this.#parts.perf?.stackPointers});
		this.#addUnmountedThreads(into);
		this.#fillHolders(into, threads[0]?.listNumber ?? 0);
		// Last, so that all other rows keep their indices.
		this.#addUnmountedRecords(into);
		this.#cache.end();
	}

	/** Empties a failed sample. */
	forget(sample: Sample): void {
		this.#cache.forget(sample);
	}

	#fillRow(into: Sample, thread: JavaThread): void {
		const state = this.#stateOf(thread);
		const lock = this.#locks.of(thread, state);
		if (this.#cache.keep(thread, state, lock)) {
			this.#addRecorded(into, thread, thread.row, thread.row);
		} else {
			thread.row = this.#addThread(into, thread);
			into.lockKind[thread.row] = lock.kind;
			into.lockClass[thread.row] = lock.className;
		}

		thread.hasValidRow = hasValidRow(thread, lock, into.state[thread.row]);
		if (lock.readHolder) {
			this.#lockWaiters.push(thread);
		}
	}

	/** Adds a thread and, if any, the virtual thread mounted on it; returns the latter's row, otherwise the thread's. */
	#addThread(into: Sample, thread: JavaThread): number {
		if (thread.stack.hasVirtualThread) {
			return this.#addMounted(into, thread);
		}

		const row = into.addThread(thread.description.key, thread.nativeId, thread.description.name);
		into.flags[row] = flagsOf(thread);
		into.cpuNs[row] = thread.cpu.usedNs;
		into.runDelayNs[row] = thread.cpu.runDelayNs;
		into.state[row] = this.#stateOf(thread);
		this.#addFrames(into, thread.stack.frames, 0, thread.stack.frames.length);
		// A compiler thread has no Java frames.
		if (thread.stack.frames.length === 0 && thread.stack.end === 'broken' && thread.description.state === stateCode.RUNNABLE && (thread.description.flags & threadFlag.compiler) === 0) {
			into.addFrame(this.#unknownFrame);
		}

		this.#attribute(into, thread, row, row);
		thread.sampledFrames = thread.stack.frames;
		return row;
	}

	/**
	Adds a carrier, as waiting, and its mounted virtual thread, which gets all the CPU time. Virtual threads of the same
	kind that a carrier runs one after the other share a thread record.
	*/
	#addMounted(into: Sample, thread: JavaThread): number {
		const {frames, carrierStart, end, isHeapMissing} = thread.stack;
		const incomplete = end === 'broken' ? threadFlag.incomplete : 0;
		const carrier = into.addThread(thread.description.key, thread.nativeId, thread.description.name);
		into.flags[carrier] = thread.description.flags | threadFlag.carrier | incomplete;
		into.state[carrier] = stateCode.WAITING;
		this.#addFrames(into, frames, carrierStart, frames.length);
		const kind = this.#kinds.kindOf(incomplete === 0 && !isHeapMissing ? frames.subarray(0, carrierStart) : undefined, thread.description.virtual);
		const row = into.addThread(this.#kinds.keyOf(`${kind.id} ${thread.description.key}`), thread.nativeId, kind.name);
		into.flags[row] = threadFlag.virtual | threadFlag.daemon | (isHeapMissing ? threadFlag.incomplete : incomplete);
		into.cpuNs[row] = thread.cpu.usedNs;
		into.runDelayNs[row] = thread.cpu.runDelayNs;
		into.state[row] = this.#stateOf(thread);
		into.carrier[row] = carrier;
		if (thread.description.virtual) {
			this.#rowsById.set(thread.description.virtual.id, row);
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
		for (const {periodNs, frames, nativeFrames, carrierStart, isMounted, isHeapMissing, end} of this.#parts.perf?.newStacks(thread) ?? []) {
			const isVirtual = carrierStart >= 0;
			recordedNs += periodNs;
			if (isVirtual && !(isMounted && row !== carrier)) {
				const stack = frames.subarray(0, carrierStart);
				const kind = this.#kinds.kindOf(isHeapMissing || end === 'broken' ? undefined : stack);
				this.#unmountedRecords.push({kind, key: this.#kinds.keyOf(`${kind.id} ${thread.description.key}`), carrier, carried: row, periodNs, frames: [...nativeFrames, ...stack.subarray(0, this.#maxFrames)]});
				into.cpuNs[row] -= periodNs;
			} else {
				into.addAttributedCpu(row, periodNs, [...nativeFrames, ...frames.subarray(0, Math.min(isVirtual ? carrierStart : frames.length, this.#maxFrames))]);
			}
		}

		if (!thread.cpu.isKnown) {
			into.cpuNs[row] += recordedNs;
		}
	}

	/** Adds a row for each group of unmounted virtual threads. */
	#addUnmountedThreads(into: Sample): void {
		for (const group of this.unmountedThreads?.groups ?? []) {
			if (group.count === 0 || (group.isUnchanged() && this.#cache.keepUnchanged(group.row, group.key, group.state))) {
				continue;
			}

			const row = into.addThread(group.key, 0, group.kind.name);
			into.flags[row] = threadFlag.virtual | threadFlag.daemon | (group.isUnmovedSinceStart ? threadFlag.unmovedSinceStart : 0);
			into.state[row] = group.state;
			into.members[row] = group.count;
			into.atNodeSinceMs[row] = group.sinceMs;
			into.lockKind[row] = group.wait.kind;
			into.lockClass[row] = group.wait.className;
			into.lockReaders[row] = group.wait.holder?.readers ?? 0;
			into.waitKind[row] = group.wait.fileKind;
			into.waitPeer[row] = group.wait.filePeer;
			this.#addFrames(into, group.frames, 0, group.frames.length);
			group.setRow(row);
		}
	}

	/** Sets the owners of locks, now that all threads have their rows. `listNumber`: that of this sample's threads. */
	#fillHolders(into: Sample, listNumber: number): void {
		const rowOf = ({thread, virtualId = 0, ended}: Holder): number => {
			if (thread) {
				return thread.listNumber === listNumber ? thread.row : -1;
			}

			if (ended) {
				return getOrCreate(this.#rowsById, ended.id, () => {
					const row = into.addThread(ended.id, 0, ended.name);
					into.state[row] = stateCode.TERMINATED;
					return row;
				});
			}

			const group = this.unmountedThreads?.groupOf(virtualId);
			return this.#rowsById.get(virtualId) ?? (group && group.count > 0 ? group.row : -1);
		};

		for (const thread of this.#lockWaiters) {
			this.#locks.fillHolder(into, thread, rowOf);
		}

		for (const {count, row, wait: {holder}} of this.unmountedThreads?.groups ?? []) {
			if (count > 0) {
				// First, as it may add a row, for which the arrays may have to grow.
				const owner = holder ? rowOf(holder) : -1;
				into.lockOwner[row] = owner;
			}
		}

		this.#nameDeadlocked(into);
	}

	/** Names each virtual thread of a deadlock, because their kinds' names may be the same. */
	#nameDeadlocked(into: Sample): void {
		for (const {row, description: {virtual}} of this.#lockWaiters) {
			nameIfDeadlocked(into, row, virtual);
		}

		for (const group of this.unmountedThreads?.groups ?? []) {
			if (group.wait.holder) {
				nameIfDeadlocked(into, group.row, this.unmountedThreads?.threadOf(group));
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
		for (const {kind, key, carrier, carried, periodNs, frames} of this.#unmountedRecords) {
			let row = rows.get(key) ?? (into.key[carried] === key ? carried : undefined);
			if (row === undefined) {
				row = into.addThread(key, 0, kind.name);
				into.flags[row] = threadFlag.virtual | threadFlag.daemon;
				into.state[row] = stateCode.TERMINATED;
				into.carrier[row] = carrier;
			}

			rows.set(key, row);
			into.cpuNs[row] += periodNs;
			into.addAttributedCpu(row, periodNs, frames);
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
			into.addAttributedCpu(row, periodNs, [...nativeFrames, ...frames.subarray(0, this.#maxFrames)]);
		}
	}

	#addFrames(into: Sample, frames: Int32Array, start: number, end: number): void {
		for (const frame of frames.subarray(start, Math.min(end, start + this.#maxFrames))) {
			into.addFrame(frame);
		}
	}

	#stateOf(thread: JavaThread): number {
		if (this.#isIdle(thread)) {
			return stateCode.IDLE;
		}

		if (!isStalled(thread, this.#nowMs, () => this.#isCollecting())) {
			return thread.description.state;
		}

		// A safepoint may delay a thread on its way into or out of a sleep, wait or park: show these.
		const {methods} = this.#jvm;
		return waitKind(thread, methods) === 'none' ? stateCode.BLOCKED : derivedState(thread, methods, undefined);
	}

	#isCollecting(): boolean {
		this.#wasCollecting ??= this.#jvm.collections.isRunning();
		return this.#wasCollecting;
	}

	/** Whether a RUNNABLE thread waits in a known native call, or inside the VM without a Java frame. */
	#isIdle(thread: JavaThread): boolean {
		if (thread.description.state !== stateCode.RUNNABLE) {
			return false;
		}

		const usedNoCpu = thread.cpu.isKnown && !countsAsRunning(thread.cpu, this.#repeats);
		if (thread.stack.frames.length === 0) {
			return thread.stack.end === 'root' && (thread.cpu.isKnown ? usedNoCpu : thread.block.state === javaThreadState.blocked);
		}

		const method = this.#jvm.methods.ofFrame(thread.stack.frames[0]);
		const kind = method ? this.#idle.kindOf(method.className, method.name) : idleKind.none;
		return kind === idleKind.always || (kind === idleKind.ifNoCpu && usedNoCpu);
	}
}

/** If a row waits for itself through lock holders, it gets the name of its virtual thread, or its id as text. */
function nameIfDeadlocked(into: Sample, row: number, thread?: VirtualIdentity): void {
	let holder = into.lockOwner[row];
	for (let step = 0; step < maxDeadlocked && holder >= 0 && holder !== row; step++) {
		holder = into.lockOwner[holder];
	}

	const name = thread && (thread.name || `VirtualThread[#${thread.id}]`);
	if (holder === row && name !== undefined && into.name[row] !== name) {
		into.name[row] = name;
		into.isSame[row] = 0;
	}
}
