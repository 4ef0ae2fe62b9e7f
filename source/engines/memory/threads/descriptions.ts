import {jvmWork, workOf} from '../../../model/jvm-stacks.js';
import {threadFlag, unknownThreadKey, unknownThreadName} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {moving, type Heap, type HeapClock} from '../hotspot/heap.js';
import {type Methods} from '../hotspot/methods.js';
import {type Vm} from '../hotspot/vm.js';
import {derivedState, waitKind} from './derived-state.js';
import {type JavaThread} from './java-thread.js';
import {type JavaThreads} from './java-threads.js';
import {confirms, kernelName} from './kernel-name.js';
import {stateOfStatus, type ThreadIdentity, type ThreadObjects} from './thread-object.js';

/**
Limits of reading thread names again, since a thread may change its name: names per sample, and for idle threads a name
every `idleNameEveryMs` overall and every `idleNameMs` each.
*/
const namesPerRound = 16;
const idleNameEveryMs = 50;
const idleNameMs = 10_000;

/** How often the name of an active thread is read again, milliseconds. */
const activeNameMs = 1000;

/** Attempts to read the heap before giving up because objects moved. */
const tries = 3;

/** JIT compiler threads are Java threads to the VM. */
const compilerName = /^C[12] CompilerThread\d+$|^JVMCI(?:-native)? CompilerThread/;

type Parts = {readonly heap: Heap; readonly objects: ThreadObjects; readonly clock: HeapClock; readonly threads: JavaThreads; readonly methods: Methods};

type Found = {readonly identity?: ThreadIdentity; readonly state?: number};

/**
Sets threads' names, keys and states from their java.lang.Thread objects. With stop-the-world collectors, values count
if no collection came between; with concurrent ones an object may be a stale copy, so the name must match the kernel's
and the state the thread's own structures.
*/
export class Descriptions {
	#nowMs = 0;
	readonly #vm: Vm;
	readonly #pid: number;
	readonly #parts: Parts;
	/** How many more names this sample may read again; the index of the last idle thread chosen for it, and when. */
	#namesLeft = 0;
	#chosen = 0;
	#chosenMs = 0;

	constructor(vm: Vm, pid: number, parts: Parts) {
		this.#vm = vm;
		this.#pid = pid;
		this.#parts = parts;
	}

	/**
	Describes the changed threads, and reads the names of some others. A thread whose object is unreadable keeps its
	description; one never described gets the kernel's name.
	*/
	describe(awake: readonly JavaThread[], all: readonly JavaThread[]): void {
		this.#nowMs = performance.now();
		const threads = this.#withNames(awake, all);
		if (this.#vm.collector === 'stop-the-world') {
			this.#stopTheWorld(threads);
		} else {
			this.#concurrent(threads);
		}

		for (const thread of threads) {
			if (thread.stack.carrierStart >= 0 || thread.description.virtual) {
				thread.description.virtual = thread.stack.carrierStart >= 0 ? this.#virtual(thread) : undefined;
			}

			if (thread.description.key === 0) {
				thread.description.key = thread.nativeId > 0 ? -thread.nativeId : unknownThreadKey;
				thread.description.name = (thread.nativeId > 0 && kernelName(this.#pid, thread.nativeId)) || unknownThreadName;
				thread.description.flags = workOf(thread.description.name) === jvmWork.jit ? threadFlag.compiler : 0;
			}
		}
	}

	/** The changed threads, and the idle ones whose names are due. */
	#withNames(awake: readonly JavaThread[], all: readonly JavaThread[]): readonly JavaThread[] {
		const nowMs = this.#nowMs;
		const count = Math.min(all.length, namesPerRound, Math.floor((nowMs - this.#chosenMs) / Math.max(idleNameEveryMs, idleNameMs / all.length)));
		if (count === 0) {
			return awake;
		}

		this.#chosenMs = nowMs;
		const threads = [...awake];
		for (let left = count; left > 0; left--) {
			this.#chosen = (this.#chosen + 1) % all.length;
			const thread = all[this.#chosen];
			if (thread.hasValidRow && this.#isNameOld(thread)) {
				threads.push(thread);
			}
		}

		return threads;
	}

	#stopTheWorld(threads: readonly JavaThread[]): void {
		if (threads.every(thread => this.#isKnown(thread))) {
			for (const thread of threads) {
				this.#apply(thread, {state: this.#stateOfStack(thread, undefined)});
			}

			return;
		}

		for (let attempt = 0; attempt < tries; attempt++) {
			const clock = this.#parts.clock.now();
			if (clock === moving) {
				break;
			}

			this.#vm.reader.forgetPages();
			this.#namesLeft = namesPerRound;
			const found: Array<Found & {readonly thread: JavaThread}> = [];
			for (const thread of threads) {
				const isDue = this.#isDue(thread);
				if (isDue || hasStateToFind(thread)) {
					found.push({thread, identity: isDue ? this.#identity(thread) : undefined, state: this.#stateOfStack(thread, thread.isInJava ? undefined : this.#state(thread, clock))});
				}
			}

			if (this.#parts.clock.now() === clock) {
				for (const each of found) {
					this.#apply(each.thread, each);
				}

				return;
			}
		}

		for (const thread of threads) {
			if (hasStateToFind(thread)) {
				thread.description.isStateSure = false;
				this.#apply(thread, {state: this.#stateOfStack(thread, undefined)});
			}
		}
	}

	#concurrent(threads: readonly JavaThread[]): void {
		this.#namesLeft = namesPerRound;
		for (const thread of threads) {
			const isDue = this.#isDue(thread);
			const hasChanged = thread.description.frames !== thread.stack.frames;
			if (isDue || hasChanged) {
				thread.description.isStateSure = true;
				this.#apply(thread, {
					identity: isDue ? this.#confirmedIdentity(thread) : undefined,
					state: derivedState(thread, this.#parts.methods, this.#status(thread)),
				});
			}
		}
	}

	/**
	The state that belongs to the stack. The status is read after the stack, so it counts only if the thread has not
	moved meanwhile; otherwise a thread that has just gone to sleep would be shown asleep in the middle of its work.
	`read`: by its status, undefined if unreadable. Returns undefined to keep the state.
	*/
	#stateOfStack(thread: JavaThread, read: number | undefined): number | undefined {
		if (thread.isInJava) {
			return stateCode.RUNNABLE;
		}

		const isNew = thread.description.frames !== thread.stack.frames;
		thread.description.isStateSure = read !== undefined && ((read === thread.description.state && !isNew) || this.#parts.threads.isWhereWalked(thread));
		if (thread.description.isStateSure) {
			return read;
		}

		return isNew ? derivedState(thread, this.#parts.methods, undefined) : undefined;
	}

	/** Identity of the mounted virtual thread; undefined if unreadable, or unmounted meanwhile. */
	#virtual(thread: JavaThread): JavaThread['description']['virtual'] {
		const before = this.#parts.clock.now();
		try {
			this.#parts.heap.isDoubtful = false;
			const oop = this.#parts.objects.inHandle(thread.block.virtualThread);
			const {id, name} = this.#parts.objects.virtualIdentity(oop);
			// Without a virtual thread, the handle has the carrier itself.
			if (id === thread.description.key) {
				return undefined;
			}

			if (this.#vm.collector === 'stop-the-world' ? before !== moving && this.#parts.clock.now() === before : !this.#parts.heap.isDoubtful) {
				return {id, name};
			}
		} catch {}

		return undefined;
	}

	/** Whether nothing need be read: a thread in Java code is always RUNNABLE. */
	#isKnown(thread: JavaThread): boolean {
		return thread.isInJava && thread.description.isIdentified && !this.#isNameOld(thread);
	}

	/** Whether to read the name; counts it against the limit. */
	#isDue(thread: JavaThread): boolean {
		return !thread.description.isIdentified || (this.#isNameOld(thread) && this.#namesLeft-- > 0);
	}

	#isNameOld(thread: JavaThread): boolean {
		const isActive = thread.hasMoved || thread.cpu.usedNs > 0;
		return this.#nowMs - thread.description.identifiedMs > (isActive ? activeNameMs : idleNameMs);
	}

	#apply(thread: JavaThread, {identity, state}: Found): void {
		thread.description.state = state ?? thread.description.state;
		if (thread.description.frames !== thread.stack.frames) {
			thread.description.frames = thread.stack.frames;
			thread.description.isNotifiable = waitKind(thread, this.#parts.methods) === 'wait';
		}

		if (thread.description.state === stateCode.TERMINATED) {
			// A native thread that detaches and attaches again gets a new object in the same slot.
			thread.description.isIdentified = false;
			thread.description.statusClock = Number.NaN;
		}

		if (identity) {
			thread.description.isIdentified = true;
			thread.description.identifiedMs = this.#nowMs;
			// A thread counted before its object was readable keeps its key.
			thread.hasValidRow = false;
			thread.description.key = thread.description.key < 0 ? thread.description.key : identity.id;
			thread.description.name = identity.name;
			thread.description.flags = (identity.isDaemon ? threadFlag.daemon : 0) | (compilerName.test(identity.name) ? threadFlag.compiler : 0);
		}
	}

	#identity(thread: JavaThread): ThreadIdentity | undefined {
		try {
			return this.#vm.reader.withPages(() => {
				const oop = this.#parts.objects.objectOf(thread.address, thread.block.threadObject);
				return oop === 0 ? undefined : this.#parts.objects.identity(oop);
			});
		} catch {
			return undefined;
		}
	}

	/**
	The identity if it is certain: key and daemon flag are, since the object points back to its thread; the name must
	come through up-to-date pointers or match the kernel's.
	*/
	#confirmedIdentity(thread: JavaThread): ThreadIdentity | undefined {
		this.#parts.heap.isDoubtful = false;
		this.#vm.reader.forgetPages();
		const identity = this.#identity(thread);
		this.#vm.reader.forgetPages();
		const again = this.#identity(thread);
		if (!identity || again?.name !== identity.name) {
			return undefined;
		}

		const kernel = kernelName(this.#pid, thread.nativeId);
		return !this.#parts.heap.isDoubtful || confirms(kernel, identity.name) ? identity : (thread.description.isIdentified ? undefined : {...identity, name: kernel});
	}

	/** The status address stays valid until a collection. */
	#state(thread: JavaThread, clock: number): number | undefined {
		try {
			if (thread.description.statusClock !== clock) {
				const oop = this.#parts.objects.objectOf(thread.address, thread.block.threadObject);
				if (oop === 0) {
					return undefined;
				}

				thread.description.statusAddress = this.#parts.objects.statusAddress(oop);
				thread.description.statusClock = clock;
			}

			return stateOfStatus(this.#vm.reader.u32(thread.description.statusAddress));
		} catch {
			thread.description.statusClock = Number.NaN;
			return undefined;
		}
	}

	#status(thread: JavaThread): number | undefined {
		try {
			const oop = this.#parts.objects.objectOf(thread.address, thread.block.threadObject);
			return oop === 0 ? undefined : this.#vm.reader.u32(this.#parts.objects.statusAddress(oop));
		} catch {
			return undefined;
		}
	}
}

/** Whether the state may differ from the last one found. */
function hasStateToFind({stack, description}: JavaThread): boolean {
	return description.frames !== stack.frames || !description.isStateSure || description.isNotifiable;
}
