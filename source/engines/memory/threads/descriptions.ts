import {jvmWork, workOf} from '../../../model/jvm-stacks.js';
import {threadFlag, unknownThreadKey, unknownThreadName} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {moving} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {stateOfStatus, type ThreadIdentity} from '../hotspot/thread-object.js';
import {ifReadable} from '../target/reader.js';
import {derivedState, waitKind} from './derived-state.js';
import {type JavaThread} from './java-thread.js';
import {type JavaThreads} from './java-threads.js';
import {matchesKernelName, kernelName} from './vm-threads.js';

/**
Limits of reading names again, since threads may change them: names per sample; for idle threads, the time between two
samples that read some, and between readings of the same one.
*/
const namesPerRound = 16;
const idleNamesEveryMs = 800;
const idleNameMs = 10_000;

const activeNameMs = 1000;
const maxAttempts = 3;

/** Names of JIT compiler threads, which to the VM are Java threads. */
const compilerName = /^C[12] CompilerThread\d+$|^JVMCI(?:-native)? CompilerThread/;

type Found = {readonly identity?: ThreadIdentity; readonly state?: number};

/**
Sets threads' names, keys and states from their java.lang.Thread objects. With stop-the-world collectors, values are
valid if no collection came in between. With concurrent ones an object may be a stale copy, so the name must match the
kernel's, and the state the thread's own structures.
*/
export class Descriptions {
	#nowMs = 0;
	readonly #jvm: Jvm;
	readonly #pid: number;
	readonly #threads: JavaThreads;
	#rereadsLeft = 0;
	/** Index of the idle thread whose name was last due. */
	#lastDue = 0;
	#lastDueMs = 0;

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
		const threads = this.#withNames(changedThreads, all);
		if (this.#jvm.vm.collector === 'stop-the-world') {
			this.#stopTheWorld(threads);
		} else {
			this.#concurrent(threads);
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

	#withNames(changedThreads: readonly JavaThread[], all: readonly JavaThread[]): readonly JavaThread[] {
		const nowMs = this.#nowMs;
		const sinceMs = nowMs - this.#lastDueMs;
		if (sinceMs < idleNamesEveryMs) {
			return changedThreads;
		}

		this.#lastDueMs = nowMs;
		const count = Math.min(all.length, namesPerRound, Math.ceil(all.length * sinceMs / idleNameMs));
		const threads = [...changedThreads];
		for (let left = count; left > 0; left--) {
			this.#lastDue = (this.#lastDue + 1) % all.length;
			const thread = all[this.#lastDue];
			if (thread.hasValidRow && this.#isNameOld(thread)) {
				threads.push(thread);
			}
		}

		return threads;
	}

	#stopTheWorld(threads: readonly JavaThread[]): void {
		// Of a thread in Java code, which is always RUNNABLE, only an old name is read again.
		if (threads.every(thread => thread.isInJava && thread.description.isIdentified && !this.#isNameOld(thread))) {
			for (const thread of threads) {
				this.#apply(thread, {state: this.#stateOfStack(thread, undefined)});
			}

			return;
		}

		for (let attempt = 0; attempt < maxAttempts; attempt++) {
			const clock = this.#jvm.clock.now();
			if (clock === moving) {
				break;
			}

			this.#jvm.vm.reader.forgetPages();
			this.#rereadsLeft = namesPerRound;
			const found: Array<Found & {readonly thread: JavaThread}> = [];
			for (const thread of threads) {
				const isDue = this.#isDue(thread);
				if (isDue || mayHaveChangedState(thread)) {
					found.push({thread, identity: isDue ? this.#identity(thread) : undefined, state: this.#stateOfStack(thread, thread.isInJava ? undefined : this.#state(thread, clock))});
				}
			}

			if (this.#jvm.clock.now() === clock) {
				for (const each of found) {
					this.#apply(each.thread, each);
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

	#concurrent(threads: readonly JavaThread[]): void {
		this.#rereadsLeft = namesPerRound;
		for (const thread of threads) {
			const isDue = this.#isDue(thread);
			const hasChanged = thread.description.frames !== thread.stack.frames;
			if (isDue || hasChanged) {
				thread.description.isStateConfirmed = true;
				this.#apply(thread, {
					identity: isDue ? this.#confirmedIdentity(thread) : undefined,
					state: derivedState(thread, this.#jvm.methods, this.#status(thread)),
				});
			}
		}
	}

	/**
	Returns the state that belongs to the stack; undefined to keep the known state. The status is read after the stack, so it
	is valid only if the thread has not moved in between; otherwise a thread that just went to sleep would be shown asleep
	in the middle of its work. `read`: the state by its status, undefined if unreadable.
	*/
	#stateOfStack(thread: JavaThread, read: number | undefined): number | undefined {
		if (thread.isInJava) {
			return stateCode.RUNNABLE;
		}

		const isNew = thread.description.frames !== thread.stack.frames;
		thread.description.isStateConfirmed = read !== undefined && ((read === thread.description.state && !isNew) || this.#threads.isWhereWalked(thread));
		if (thread.description.isStateConfirmed) {
			return read;
		}

		return isNew ? derivedState(thread, this.#jvm.methods, undefined) : undefined;
	}

	/** Returns the identity of the mounted virtual thread; undefined if unreadable or no longer mounted. */
	#virtual(thread: JavaThread): JavaThread['description']['virtual'] {
		const {heap, objects, clock, vm: {collector}} = this.#jvm;
		const before = clock.now();
		return ifReadable(() => {
			heap.isDoubtful = false;
			const identity = objects.virtualIdentity(heap.wideReference(thread.block.virtualThread));
			const isCertain = collector === 'stop-the-world' ? before !== moving && clock.now() === before : !heap.isDoubtful;
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

	#apply(thread: JavaThread, {identity, state}: Found): void {
		thread.description.state = state ?? thread.description.state;
		if (thread.description.frames !== thread.stack.frames) {
			thread.description.frames = thread.stack.frames;
			thread.description.isNotifiable = waitKind(thread, this.#jvm.methods) === 'wait';
		}

		if (thread.description.state === stateCode.TERMINATED) {
			// A native thread that detaches and attaches again gets a new object in the same slot.
			thread.description.isIdentified = false;
			thread.description.statusClock = Number.NaN;
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
	Returns the identity if it is certain. Key and daemon flag are, since the object points back to its thread; the name
	must come through current pointers or match the kernel's.
	*/
	#confirmedIdentity(thread: JavaThread): ThreadIdentity | undefined {
		this.#jvm.heap.isDoubtful = false;
		this.#jvm.vm.reader.forgetPages();
		const identity = this.#identity(thread);
		this.#jvm.vm.reader.forgetPages();
		const again = this.#identity(thread);
		if (!identity || again?.name !== identity.name) {
			return undefined;
		}

		const kernel = kernelName(this.#pid, thread.nativeId);
		return !this.#jvm.heap.isDoubtful || matchesKernelName(kernel, identity.name) ? identity : (thread.description.isIdentified ? undefined : {...identity, name: kernel});
	}

	/** Reads a thread's state code; its status address remains valid until the next collection. */
	#state(thread: JavaThread, clock: number): number | undefined {
		try {
			if (thread.description.statusClock !== clock) {
				thread.description.statusAddress = this.#jvm.objects.statusAddress(this.#objectOf(thread));
				thread.description.statusClock = clock;
			}

			return stateOfStatus(this.#jvm.vm.reader.u32(thread.description.statusAddress));
		} catch {
			thread.description.statusClock = Number.NaN;
			return undefined;
		}
	}

	#status(thread: JavaThread): number | undefined {
		return ifReadable(() => this.#jvm.vm.reader.u32(this.#jvm.objects.statusAddress(this.#objectOf(thread))), undefined);
	}

	#objectOf({address, block}: JavaThread): number {
		return this.#jvm.objects.objectOf(address, block.threadObject);
	}
}

function mayHaveChangedState({stack, description}: JavaThread): boolean {
	return description.frames !== stack.frames || !description.isStateConfirmed || description.isNotifiable;
}
