import {matchesKernelName, safe} from '../../../util/printable.js';
import {stateCode} from '../../../model/thread-state.js';
import {objectsMayMove} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {stateOfStatus, type ThreadIdentity, type VirtualIdentity} from '../hotspot/thread-object.js';
import {ifReadable} from '../target/memory-reader.js';
import {derivedState, waitKind} from './derived-state.js';
import {type JavaThread} from './java-thread.js';
import {type JavaThreads} from './java-threads.js';
import {kernelName} from './vm-threads.js';

/** Threads may change their names, so names are read again: at most this many per sample. */
const namesPerSample = 16;

/** Age at which a name is read again: of a thread that has just moved or used CPU time, and of an inactive one. */
const activeNameMs = 1000;
const inactiveNameMs = 10_000;

/** Interval at which inactive threads' names are checked, some at a time. */
const inactiveNamesEveryMs = 800;

/** Attempts to read all threads: a collection may begin during each. */
const maxAttempts = 3;

/** A state code, and whether it is certain. */
type ReadState = {readonly state: number; readonly isConfirmed: boolean};

/** What was read of a thread's object; `identity` is undefined if not read or unreadable. */
type Reading = ReadState & {readonly thread: JavaThread; readonly identity?: ThreadIdentity};

/**
Reads threads' names, keys and states from their java.lang.Thread objects. With stop-the-world collectors, values are
valid if no collection came in between. With concurrent ones an object may be a stale copy, so the name must match the
kernel's, and the state the thread's own structures.
*/
export class Descriptions {
	readonly #jvm: Jvm;
	readonly #pid: number;
	readonly #threads: JavaThreads;
	#nowMs = 0;
	/** Number of names that this sample may still read again. */
	#rereadsLeft = 0;
	/** Of inactive threads: index of the last whose name's age was checked, and when. */
	#inactiveIndex = 0;
	#inactiveCheckedMs = 0;

	constructor(jvm: Jvm, pid: number, threads: JavaThreads) {
		this.#jvm = jvm;
		this.#pid = pid;
		this.#threads = threads;
	}

	/**
	Describes the changed threads, and reads the names of some others. A thread whose object is unreadable keeps its
	description; if it has none, it gets the kernel's name.
	*/
	describe(changedThreads: readonly JavaThread[], all: readonly JavaThread[]): void {
		this.#nowMs = performance.now();
		const threads = this.#withOldNames(changedThreads, all);
		if (this.#jvm.vm.collector === 'stop-the-world') {
			this.#readBetweenCollections(threads);
		} else {
			this.#readDuringCollections(threads);
		}

		for (const thread of threads) {
			const {description, mounted, nativeId, stack} = thread;
			mounted.setIdentity(stack.hasVirtualThread ? this.#virtual(thread) : undefined);
			if (description.key === 0) {
				description.setUnidentified(nativeId, nativeId > 0 ? kernelName(this.#pid, nativeId) : safe``);
			}
		}
	}

	/** Returns the changed threads and, at intervals, inactive ones whose names are old. */
	#withOldNames(changedThreads: readonly JavaThread[], all: readonly JavaThread[]): readonly JavaThread[] {
		const sinceMs = this.#nowMs - this.#inactiveCheckedMs;
		if (sinceMs < inactiveNamesEveryMs) {
			return changedThreads;
		}

		this.#inactiveCheckedMs = this.#nowMs;
		const threads = [...changedThreads];
		const due = Math.min(all.length, namesPerSample, Math.ceil(all.length * sinceMs / inactiveNameMs));
		for (let checked = 0; checked < due; checked++) {
			this.#inactiveIndex = (this.#inactiveIndex + 1) % all.length;
			const thread = all[this.#inactiveIndex];
			if (thread.isSettled && this.#isNameOld(thread)) {
				threads.push(thread);
			}
		}

		return threads;
	}

	/** With stop-the-world collectors: reads all threads without a collection in between, if it can. */
	#readBetweenCollections(threads: readonly JavaThread[]): void {
		for (let attempt = 0; attempt < maxAttempts; attempt++) {
			const collections = this.#jvm.collections.count();
			if (collections === objectsMayMove) {
				break;
			}

			this.#jvm.vm.reader.forgetPages();
			this.#rereadsLeft = namesPerSample;
			const readings: Reading[] = [];
			for (const thread of threads) {
				const isDue = this.#isDue(thread);
				if (isDue || mayHaveChangedState(thread)) {
					const status = thread.isInJava ? undefined : this.#stateAt(thread, collections);
					const identity = isDue ? this.#identity(thread) : undefined;
					readings.push({thread, identity, ...this.#stateOfStack(thread, status)});
				}
			}

			if (this.#jvm.collections.count() === collections) {
				for (const reading of readings) {
					this.#apply(reading);
				}

				return;
			}
		}

		for (const thread of threads) {
			if (mayHaveChangedState(thread)) {
				this.#apply({thread, state: this.#stateOfStack(thread, undefined).state, isConfirmed: false});
			}
		}
	}

	/** With concurrent collectors, which may move objects at any time. */
	#readDuringCollections(threads: readonly JavaThread[]): void {
		this.#rereadsLeft = namesPerSample;
		for (const thread of threads) {
			const isDue = this.#isDue(thread);
			if (isDue || !thread.description.isOf(thread.stack.frames)) {
				const {objects, methods, vm: {reader}} = this.#jvm;
				const status = ifReadable(() => reader.u32(objects.statusAddress(this.#objectOf(thread))), undefined);
				this.#apply({
					thread,
					identity: isDue ? this.#confirmedIdentity(thread) : undefined,
					state: derivedState(thread, methods, status),
					isConfirmed: true,
				});
			}
		}
	}

	/**
	Returns the state that belongs to the stack. The status is read after the stack, so it is valid only if the thread
	has not moved in between; otherwise a thread that just went to sleep would be shown asleep in the middle of its
	work.
	`status`: the state that the status says, undefined if unreadable.
	*/
	#stateOfStack(thread: JavaThread, status: number | undefined): ReadState {
		const {description, stack} = thread;
		if (thread.isInJava) {
			return {state: stateCode.RUNNABLE, isConfirmed: description.isStateConfirmed};
		}

		const isNew = !description.isOf(stack.frames);
		if (status !== undefined && ((status === description.state && !isNew) || this.#threads.isWhereWalked(thread))) {
			return {state: status, isConfirmed: true};
		}

		const state = isNew ? derivedState(thread, this.#jvm.methods, undefined) : description.state;
		return {state, isConfirmed: false};
	}

	/** Returns the identity of the mounted virtual thread; undefined if unreadable or no longer mounted. */
	#virtual(thread: JavaThread): VirtualIdentity | undefined {
		const {heap, objects, collections, vm: {collector}} = this.#jvm;
		const before = collections.count();
		return ifReadable(() => {
			heap.hasReadStalePointer = false;
			const identity = objects.virtualIdentity(heap.wideReference(thread.block.virtualThread));
			const isCertain = collector === 'stop-the-world'
				? before !== objectsMayMove && collections.count() === before
				: !heap.hasReadStalePointer;
			// Without a virtual thread, the handle refers to the carrier itself.
			return isCertain && identity.id !== thread.description.key ? identity : undefined;
		}, undefined);
	}

	/** Whether to read the thread's identity; counts a repeated reading against the limit. */
	#isDue(thread: JavaThread): boolean {
		return thread.description.identifiedMs === undefined || (this.#isNameOld(thread) && this.#rereadsLeft-- > 0);
	}

	#isNameOld({place, cpu, description: {identifiedMs = Number.NaN}}: JavaThread): boolean {
		const isActive = place.hasMoved || cpu.usedNs > 0;
		return this.#nowMs - identifiedMs > (isActive ? activeNameMs : inactiveNameMs);
	}

	#apply({thread, identity, state, isConfirmed}: Reading): void {
		const {description, stack: {frames}} = thread;
		description.setState(state, isConfirmed);
		if (!description.isOf(frames)) {
			description.setFrames(frames, waitKind(thread, this.#jvm.methods) === 'wait');
		}

		if (identity) {
			description.setIdentity(identity, this.#nowMs);
		}
	}

	#identity(thread: JavaThread): ThreadIdentity | undefined {
		return ifReadable(
			() => this.#jvm.vm.reader.withPages(() => this.#jvm.objects.identity(this.#objectOf(thread))),
			undefined,
		);
	}

	/**
	Returns the identity if it is certain. Key and daemon flag always are, since the object points back to its thread.
	The name must come through current pointers or match the kernel's; until then, a thread without identity gets the
	kernel's name.
	*/
	#confirmedIdentity(thread: JavaThread): ThreadIdentity | undefined {
		this.#jvm.heap.hasReadStalePointer = false;
		this.#jvm.vm.reader.forgetPages();
		const identity = this.#identity(thread);
		this.#jvm.vm.reader.forgetPages();
		const again = this.#identity(thread);
		if (!identity || again?.name !== identity.name) {
			return undefined;
		}

		const kernel = kernelName(this.#pid, thread.nativeId);
		if (!this.#jvm.heap.hasReadStalePointer || matchesKernelName(kernel, identity.name)) {
			return identity;
		}

		return thread.description.identifiedMs === undefined ? {...identity, name: kernel} : undefined;
	}

	/**
	Returns a thread's state code, undefined if unreadable. Its status keeps its address until the next collection.
	*/
	#stateAt(thread: JavaThread, collections: number): number | undefined {
		const {description} = thread;
		const state = ifReadable(() => {
			if (description.statusCollections !== collections) {
				description.setStatusAddress(this.#jvm.objects.statusAddress(this.#objectOf(thread)), collections);
			}

			return stateOfStatus(this.#jvm.vm.reader.u32(description.statusAddress));
		}, undefined);
		if (state === undefined) {
			description.setStatusAddress(0, Number.NaN);
		}

		return state;
	}

	#objectOf({address, block}: JavaThread): number {
		return this.#jvm.objects.objectOf(address, block.threadObject);
	}
}

function mayHaveChangedState({stack, description}: JavaThread): boolean {
	return !description.isOf(stack.frames) || !description.isStateConfirmed || description.isNotifiable;
}
