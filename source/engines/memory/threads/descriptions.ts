import {jvmWork, workOf} from '../../../model/jvm-stacks.js';
import {threadFlag, unknownThreadKey, unknownThreadName} from '../../../model/sample.js';
import {matchesKernelName} from '../../../model/text.js';
import {stateCode} from '../../../model/thread-state.js';
import {objectsMayMove} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {stateOfStatus, type ThreadIdentity} from '../hotspot/thread-object.js';
import {ifReadable} from '../target/reader.js';
import {derivedState, waitKind} from './derived-state.js';
import {type JavaThread} from './java-thread.js';
import {type JavaThreads} from './java-threads.js';
import {kernelName} from './vm-threads.js';

/** Threads may change their names, so names are read again: at most this many per sample. */
const namesPerSample = 16;

/** Age at which a name is read again: of a thread that has just moved or used CPU time, and of an idle one. */
const activeNameMs = 1000;
const idleNameMs = 10_000;

/** Interval at which idle threads' names are checked, some at a time. */
const idleNamesEveryMs = 800;

/** Attempts to read all threads: a collection may begin during each. */
const maxAttempts = 3;

/** Names of JIT compiler threads, which to the VM are Java threads. */
const compilerName = /^C[12] CompilerThread\d+$|^JVMCI(?:-native)? CompilerThread/;

/** What was read of a thread's object; undefined if not read or unreadable. */
type Reading = {readonly identity?: ThreadIdentity; readonly state?: number};

/**
Sets threads' names, keys and states from their java.lang.Thread objects. With stop-the-world collectors, values are
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
	/** Of idle threads: index of the last whose name's age was checked, and when. */
	#idleIndex = 0;
	#idleCheckedMs = 0;

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
			if (thread.stack.hasVirtualThread || thread.description.virtual) {
				thread.description.virtual = thread.stack.hasVirtualThread ? this.#virtual(thread) : undefined;
			}

			if (thread.description.key === 0) {
				thread.description.key = thread.nativeId > 0 ? -thread.nativeId : unknownThreadKey;
				thread.description.name = (thread.nativeId > 0 && kernelName(this.#pid, thread.nativeId)) || unknownThreadName;
				thread.description.flags = workOf(thread.description.name) === jvmWork.jit ? threadFlag.compiler : 0;
			}
		}
	}

	/** Returns the changed threads and, at intervals, idle ones whose names are old. */
	#withOldNames(changedThreads: readonly JavaThread[], all: readonly JavaThread[]): readonly JavaThread[] {
		const sinceMs = this.#nowMs - this.#idleCheckedMs;
		if (sinceMs < idleNamesEveryMs) {
			return changedThreads;
		}

		this.#idleCheckedMs = this.#nowMs;
		const threads = [...changedThreads];
		for (let left = Math.min(all.length, namesPerSample, Math.ceil(all.length * sinceMs / idleNameMs)); left > 0; left--) {
			this.#idleIndex = (this.#idleIndex + 1) % all.length;
			const thread = all[this.#idleIndex];
			if (thread.hasValidRow && this.#isNameOld(thread)) {
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
			const readings: Array<Reading & {readonly thread: JavaThread}> = [];
			for (const thread of threads) {
				const isDue = this.#isDue(thread);
				if (isDue || mayHaveChangedState(thread)) {
					const state = this.#stateOfStack(thread, thread.isInJava ? undefined : this.#stateAt(thread, collections));
					readings.push({thread, identity: isDue ? this.#identity(thread) : undefined, state});
				}
			}

			if (this.#jvm.collections.count() === collections) {
				for (const reading of readings) {
					this.#apply(reading.thread, reading);
				}

				return;
			}
		}

		for (const thread of threads) {
			if (mayHaveChangedState(thread)) {
				thread.description.isStateConfirmed = false;
				this.#apply(thread, {state: this.#stateOfStack(thread, undefined)});
			}
		}
	}

	/** With concurrent collectors, which may move objects at any time. */
	#readDuringCollections(threads: readonly JavaThread[]): void {
		this.#rereadsLeft = namesPerSample;
		for (const thread of threads) {
			const isDue = this.#isDue(thread);
			const hasChanged = thread.description.frames !== thread.stack.frames;
			if (isDue || hasChanged) {
				thread.description.isStateConfirmed = true;
				this.#apply(thread, {
					identity: isDue ? this.#confirmedIdentity(thread) : undefined,
					state: derivedState(thread, this.#jvm.methods, ifReadable(() => this.#jvm.vm.reader.u32(this.#jvm.objects.statusAddress(this.#objectOf(thread))), undefined)),
				});
			}
		}
	}

	/**
	Returns the state that belongs to the stack; undefined if the last one still does. The status is read after the stack,
	so it is valid only if the thread has not moved in between; otherwise a thread that just went to sleep would be shown
	asleep in the middle of its work. `state`: as the status says, undefined if unreadable.
	*/
	#stateOfStack(thread: JavaThread, state: number | undefined): number | undefined {
		if (thread.isInJava) {
			return stateCode.RUNNABLE;
		}

		const isNew = thread.description.frames !== thread.stack.frames;
		thread.description.isStateConfirmed = state !== undefined && ((state === thread.description.state && !isNew) || this.#threads.isWhereWalked(thread));
		if (thread.description.isStateConfirmed) {
			return state;
		}

		return isNew ? derivedState(thread, this.#jvm.methods, undefined) : undefined;
	}

	/** Returns the identity of the mounted virtual thread; undefined if unreadable or no longer mounted. */
	#virtual(thread: JavaThread): JavaThread['description']['virtual'] {
		const {heap, objects, collections, vm: {collector}} = this.#jvm;
		const before = collections.count();
		return ifReadable(() => {
			heap.hasReadStalePointer = false;
			const identity = objects.virtualIdentity(heap.wideReference(thread.block.virtualThread));
			const isCertain = collector === 'stop-the-world' ? before !== objectsMayMove && collections.count() === before : !heap.hasReadStalePointer;
			// Without a virtual thread, the handle refers to the carrier itself.
			return isCertain && identity.id !== thread.description.key ? identity : undefined;
		}, undefined);
	}

	/** Whether to read the thread's identity; counts a repeated reading against the limit. */
	#isDue(thread: JavaThread): boolean {
		return !thread.description.isIdentified || (this.#isNameOld(thread) && this.#rereadsLeft-- > 0);
	}

	#isNameOld(thread: JavaThread): boolean {
		const isActive = thread.hasMoved || thread.cpu.usedNs > 0;
		return this.#nowMs - thread.description.identifiedMs > (isActive ? activeNameMs : idleNameMs);
	}

	#apply(thread: JavaThread, {identity, state}: Reading): void {
		thread.description.state = state ?? thread.description.state;
		if (thread.description.frames !== thread.stack.frames) {
			thread.description.frames = thread.stack.frames;
			thread.description.isNotifiable = waitKind(thread, this.#jvm.methods) === 'wait';
		}

		if (thread.description.state === stateCode.TERMINATED) {
			// A native thread that detaches and attaches again gets a new object in the same slot.
			thread.description.isIdentified = false;
			thread.description.statusCollections = Number.NaN;
		}

		if (identity) {
			thread.description.isIdentified = true;
			thread.description.identifiedMs = this.#nowMs;
			thread.hasValidRow = false;
			// A thread counted before its object was readable keeps its key.
			thread.description.key = thread.description.key < 0 ? thread.description.key : identity.id;
			thread.description.name = identity.name;
			thread.description.flags = (identity.isDaemon ? threadFlag.daemon : 0) | (compilerName.test(identity.name) ? threadFlag.compiler : 0);
		}
	}

	#identity(thread: JavaThread): ThreadIdentity | undefined {
		return ifReadable(() => this.#jvm.vm.reader.withPages(() => this.#jvm.objects.identity(this.#objectOf(thread))), undefined);
	}

	/**
	Returns the identity if it is certain. Key and daemon flag always are, since the object points back to its thread. The
	name must come through current pointers or match the kernel's; until then, a thread without identity gets the kernel's
	name.
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
		return !this.#jvm.heap.hasReadStalePointer || matchesKernelName(kernel, identity.name) ? identity : (thread.description.isIdentified ? undefined : {...identity, name: kernel});
	}

	/** Returns a thread's state code, undefined if unreadable. Its status keeps its address until the next collection. */
	#stateAt(thread: JavaThread, collections: number): number | undefined {
		const {description} = thread;
		const state = ifReadable(() => {
			if (description.statusCollections !== collections) {
				description.statusAddress = this.#jvm.objects.statusAddress(this.#objectOf(thread));
				description.statusCollections = collections;
			}

			return stateOfStatus(this.#jvm.vm.reader.u32(description.statusAddress));
		}, undefined);
		description.statusCollections = state === undefined ? Number.NaN : collections;
		return state;
	}

	#objectOf({address, block}: JavaThread): number {
		return this.#jvm.objects.objectOf(address, block.threadObject);
	}
}

function mayHaveChangedState({stack, description}: JavaThread): boolean {
	return description.frames !== stack.frames || !description.isStateConfirmed || description.isNotifiable;
}
