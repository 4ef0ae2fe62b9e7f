import {threadFlag} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {moving, type HeapClock} from '../hotspot/collections.js';
import {type Heap} from '../hotspot/heap.js';
import {type Methods} from '../hotspot/methods.js';
import {Ranges} from '../process/ranges.js';
import {type Vm} from '../hotspot/vm.js';
import {derivedState, waitKind} from './derived-state.js';
import {type JavaThread} from './java-thread.js';
import {type JavaThreads} from './java-threads.js';
import {confirms, kernelName} from './kernel-name.js';
import {stateOfStatus, type ThreadIdentity, type ThreadObjects} from './thread-object.js';

/**
Names read again in one sample at most: a thread may change its name at any time, which is shown with some delay. Those
at rest have one read every so many milliseconds, and each its own at most so often: most threads change their own name.
*/
const namesPerRound = 16;
const restingNameEveryMs = 50;
const restingNameMs = 10_000;

/** A name of one that is at work is read again after so many milliseconds. */
const nameMs = 1000;

/** How often the heap is read again when objects moved meanwhile. */
const tries = 3;

/** JIT compilers are Java threads to the VM. */
const compilerName = /^C[12] CompilerThread\d+$|^JVMCI(?:-native)? CompilerThread/;

/** Length of a thread status, bytes. */
const statusBytes = 4;

type Found = {readonly identity?: ThreadIdentity; readonly state?: number};

/**
Gives threads their names, keys and states, out of their java.lang.Thread objects. With collectors that stop the world
what is read counts if no collection came between; with those that move objects beside the program an object read may be
one left behind, and each thing read needs a second witness: for the name the kernel's, for the state the thread's own
structures.
*/
export class Descriptions {
	#nowMs = 0;
	readonly #vm: Vm;
	readonly #pid: number;
	readonly #heap: Heap;
	readonly #objects: ThreadObjects;
	readonly #clock: HeapClock;
	readonly #threads: JavaThreads;
	readonly #methods: Methods;
	/** The clock, statuses and blocks, and the clock again: read together, in this order. */
	readonly #together: Ranges;
	#clockAfter = 0;
	/** What the clock said last. */
	#lastClock = moving;
	/** What is found in an attempt. */
	readonly #found: Array<Found & {readonly thread: JavaThread}> = [];
	/** How many names may still be read again in this sample, whose turn it is of those at rest, and when it last was. */
	#namesLeft = 0;
	#turn = 0;
	#turnMs = 0;

	constructor(vm: Vm, pid: number, parts: {
		readonly heap: Heap; readonly objects: ThreadObjects; readonly clock: HeapClock; readonly threads: JavaThreads; readonly methods: Methods;
	}) {
		this.#vm = vm;
		this.#pid = pid;
		this.#heap = parts.heap;
		this.#objects = parts.objects;
		this.#clock = parts.clock;
		this.#threads = parts.threads;
		this.#methods = parts.methods;
		this.#together = new Ranges(vm.reader.memory);
	}

	/**
	Describes those of the threads that have something to be done for, and reads some names of the others. One whose
	object cannot be read now keeps what was last known; one never read yet has the
	name that the kernel knows.
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
			if (thread.carrierStart >= 0 || thread.virtual) {
				thread.virtual = thread.carrierStart >= 0 ? this.#virtual(thread) : undefined;
			}

			if (thread.key === 0) {
				thread.key = -thread.nativeId;
				thread.name = kernelName(this.#pid, thread.nativeId);
			}
		}
	}

	/** The threads, and those at rest whose names are to be read again now, in turn. */
	#withNames(awake: readonly JavaThread[], all: readonly JavaThread[]): readonly JavaThread[] {
		const nowMs = this.#nowMs;
		const turns = Math.min(all.length, namesPerRound, Math.floor((nowMs - this.#turnMs) / Math.max(restingNameEveryMs, restingNameMs / all.length)));
		if (turns === 0) {
			return awake;
		}

		this.#turnMs = nowMs;
		const threads = [...awake];
		for (let count = 0; count < turns; count++) {
			this.#turn = (this.#turn + 1) % all.length;
			const thread = all[this.#turn];
			if (thread.isSettled && this.#isNameOld(thread)) {
				threads.push(thread);
			}
		}

		return threads;
	}

	#stopTheWorld(threads: readonly JavaThread[]): void {
		if (threads.every(thread => this.#isTold(thread))) {
			for (const thread of threads) {
				this.#apply(thread, {state: this.#stateOfStack(thread, undefined)});
			}

			return;
		}

		for (let attempt = 0; attempt < tries; attempt++) {
			const clock = this.#readTogether(threads);
			if (clock === moving) {
				break;
			}

			this.#namesLeft = namesPerRound;
			const found = this.#found;
			found.length = 0;
			let isAllRead = true;
			for (const thread of threads) {
				const isDue = this.#isDue(thread);
				if (isDue || hasStateToFind(thread)) {
					isAllRead &&= !isDue && (thread.isInJava || (thread.statusPlace >= 0 && this.#together.isRead(thread.statusPlace)));
					found.push({thread, identity: isDue ? this.#identity(thread) : undefined, state: this.#stateOfStack(thread, thread.isInJava ? undefined : this.#state(thread, clock))});
				}
			}

			if ((isAllRead ? this.#clock.taken(this.#together, this.#clockAfter) : this.#clock.now()) === clock) {
				for (const each of found) {
					this.#apply(each.thread, each);
				}

				return;
			}
		}

		for (const thread of threads) {
			if (hasStateToFind(thread)) {
				thread.isStateSure = false;
				this.#apply(thread, {state: this.#stateOfStack(thread, undefined)});
			}
		}
	}

	#concurrent(threads: readonly JavaThread[]): void {
		this.#namesLeft = namesPerRound;
		for (const thread of threads) {
			const isDue = this.#isDue(thread);
			const hasChanged = thread.describedFrames !== thread.frames;
			if (isDue || hasChanged) {
				thread.isStateSure = true;
				this.#apply(thread, {
					identity: isDue ? this.#confirmedIdentity(thread) : undefined,
					state: derivedState(thread, this.#methods, this.#status(thread)),
				});
			}
		}
	}

	/**
	The state that goes with the stack: the status was read some time after it, and counts if the thread has not moved
	meanwhile. Otherwise a thread that has just gone to sleep would be shown sleeping in the middle of its work. `read`:
	by its status; undefined where that could not be read, as during a collection. Undefined: the state is what it was.
	*/
	#stateOfStack(thread: JavaThread, read: number | undefined): number | undefined {
		if (thread.isInJava) {
			return stateCode.RUNNABLE;
		}

		const isNew = thread.describedFrames !== thread.frames;
		thread.isStateSure = read !== undefined && ((read === thread.state && !isNew) || this.#isWhereWalked(thread));
		if (thread.isStateSure) {
			return read;
		}

		return isNew ? derivedState(thread, this.#methods, undefined) : undefined;
	}

	/**
	Who the mounted virtual thread is; undefined where its object cannot be read: then its frames count for the carrier.
	*/
	#virtual(thread: JavaThread): JavaThread['virtual'] {
		const before = this.#clock.now();
		try {
			this.#heap.isDoubtful = false;
			const oop = this.#objects.inHandle(thread.block.virtualThread);
			const {id, name} = this.#objects.virtualIdentity(oop);
			if (this.#vm.collector === 'stop-the-world' ? before !== moving && this.#clock.now() === before : !this.#heap.isDoubtful) {
				return {key: id, name: name === '' ? `#${id}` : name};
			}
		} catch {}

		return undefined;
	}

	/** Whether nothing of a thread is to be read: one that executes Java code is RUNNABLE, whatever its object says. */
	#isTold(thread: JavaThread): boolean {
		return thread.isInJava && thread.isIdentified && !this.#isNameOld(thread);
	}

	/** Whether the name is to be read; counts it when it is. */
	#isDue(thread: JavaThread): boolean {
		return !thread.isIdentified || (this.#isNameOld(thread) && this.#namesLeft-- > 0);
	}

	#isNameOld(thread: JavaThread): boolean {
		const isAtWork = thread.hasMoved || thread.cpuNs > 0;
		return this.#nowMs - thread.identifiedMs > (isAtWork ? nameMs : restingNameMs);
	}

	/**
	Reads the statuses whose places are known, and behind them the blocks of threads whose stacks are new, all at once;
	gives the clock before them.
	*/
	#readTogether(threads: readonly JavaThread[]): number {
		const together = this.#together;
		together.clear();
		const first = this.#clock.addTo(together);
		for (const thread of threads) {
			const isAsked = thread.statusClock === this.#lastClock && !thread.isInJava && hasStateToFind(thread);
			thread.statusPlace = isAsked ? together.add(thread.statusAddress, statusBytes) : -1;
			thread.blockPlace = -1;
		}

		for (const thread of threads) {
			if (thread.statusPlace >= 0 && thread.describedFrames !== thread.frames) {
				thread.blockPlace = this.#threads.addTo(together, thread);
			}
		}

		this.#clockAfter = this.#clock.addTo(together);
		together.read();
		const clock = this.#clock.taken(together, first);
		if (clock !== this.#lastClock) {
			for (const thread of threads) {
				thread.statusPlace = -1;
				thread.blockPlace = -1;
			}
		}

		this.#lastClock = clock;
		return clock;
	}

	/** Whether a thread stands where its stack was walked from, after its status was read. */
	#isWhereWalked(thread: JavaThread): boolean {
		const {statusPlace, blockPlace} = thread;
		const isTogether = statusPlace >= 0 && blockPlace >= 0 && this.#together.isRead(statusPlace);
		return isTogether ? this.#threads.wasWhereWalked(this.#together, blockPlace, thread) : this.#threads.isWhereWalked(thread);
	}

	#apply(thread: JavaThread, {identity, state}: Found): void {
		thread.state = state ?? thread.state;
		if (thread.describedFrames !== thread.frames) {
			thread.describedFrames = thread.frames;
			thread.isNotifiable = waitKind(thread, this.#methods) === 'wait';
		}

		if (thread.state === stateCode.TERMINATED) {
			// A native thread that was detached and attached again has a new object in its old place.
			thread.isIdentified = false;
			thread.statusClock = Number.NaN;
		}

		if (identity) {
			thread.isIdentified = true;
			thread.identifiedMs = this.#nowMs;
			// One that was counted before its object could be read stays the thread that it was.
			thread.isSettled = false;
			thread.key = thread.key < 0 ? thread.key : identity.id;
			thread.name = identity.name;
			thread.flags = (identity.isDaemon ? threadFlag.daemon : 0) | (compilerName.test(identity.name) ? threadFlag.compiler : 0);
		}
	}

	#identity(thread: JavaThread): ThreadIdentity | undefined {
		try {
			const oop = this.#objects.objectOf(thread.address, thread.block.threadObject);
			return oop === 0 ? undefined : this.#objects.identity(oop);
		} catch {
			return undefined;
		}
	}

	/**
	Key and daemon-ness are fixed, and sure since the object points back to its thread; the name must have been read
	through pointers that are up to date, or be the one that the kernel knows.
	*/
	#confirmedIdentity(thread: JavaThread): ThreadIdentity | undefined {
		this.#heap.isDoubtful = false;
		const identity = this.#identity(thread);
		const again = this.#identity(thread);
		if (!identity || again?.name !== identity.name) {
			return undefined;
		}

		const kernel = kernelName(this.#pid, thread.nativeId);
		return !this.#heap.isDoubtful || confirms(kernel, identity.name) ? identity : (thread.isIdentified ? undefined : {...identity, name: kernel});
	}

	/** The address of the status holds as long as no collection came. */
	#state(thread: JavaThread, clock: number): number | undefined {
		try {
			if (thread.statusClock !== clock) {
				const oop = this.#objects.objectOf(thread.address, thread.block.threadObject);
				if (oop === 0) {
					return undefined;
				}

				thread.statusAddress = this.#objects.statusAddress(oop);
				thread.statusClock = clock;
			}

			const isRead = thread.statusPlace >= 0 && this.#together.isRead(thread.statusPlace);
			return stateOfStatus(isRead ? this.#together.half(thread.statusPlace, 0) : this.#vm.reader.u32(thread.statusAddress));
		} catch {
			thread.statusClock = Number.NaN;
			return undefined;
		}
	}

	#status(thread: JavaThread): number | undefined {
		try {
			const oop = this.#objects.objectOf(thread.address, thread.block.threadObject);
			return oop === 0 ? undefined : this.#vm.reader.u32(this.#objects.statusAddress(oop));
		} catch {
			return undefined;
		}
	}
}

/** Whether the state may be another than the one last found. */
function hasStateToFind(thread: JavaThread): boolean {
	return thread.describedFrames !== thread.frames || !thread.isStateSure || thread.isNotifiable;
}
