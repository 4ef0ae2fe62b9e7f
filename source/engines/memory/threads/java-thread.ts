import {stateCode} from '../../../model/thread-state.js';
import {WalkedStack} from '../unwind/walker.js';
import {emptyBlock, javaThreadState, type ThreadBlock} from '../hotspot/thread-block.js';
import {CpuTime} from './cpu-times.js';

/** Who holds a lock, and its number of read holds. */
export type Holder = {readonly thread?: JavaThread; readonly readers?: number};

/** What a thread waits for: kind and class as in a sample, and the owner. */
export type Lock = {
	readonly kind: number;
	readonly className: number;
	owner?: JavaThread;
	/** Number of read holds; the owner is then the first reader, if it still holds the lock. */
	readers?: number;
	/** Reads the owner again; undefined if there can be none. */
	readonly ownerSlot?: () => Holder | undefined;
};

/** A thread's lock, and the frames, state and clock for which it is valid. */
export type KnownLock = Lock & {readonly frames: Int32Array; readonly state: number; readonly clock: number};

/** A thread's last walked stack, and the anchor and state that it was walked from; NaN and 0 if none. */
class ThreadStack extends WalkedStack {
	readonly #from = {sp: Number.NaN, pc: 0, fp: 0, state: 0};

	/** Whether a block has the anchor and state that the stack was walked from. */
	wasWalkedFrom({anchorSp, anchorPc, anchorFp, state}: ThreadBlock): boolean {
		const {sp, pc, fp, state: walkedState} = this.#from;
		return anchorSp === sp && anchorPc === pc && anchorFp === fp && state === walkedState;
	}

	/** Sets the anchor that the stack was walked from; `undefined`: none. */
	setWalked(block: ThreadBlock | undefined): void {
		const from = this.#from;
		from.sp = block?.anchorSp ?? Number.NaN;
		from.pc = block?.anchorPc ?? 0;
		from.fp = block?.anchorFp ?? 0;
		from.state = block?.state ?? 0;
	}
}

/** A thread's key, name and state, and how they were last read. */
class Description {
	/** Key, name and flags, once known. */
	key = 0;
	name = '';
	flags = 0;
	/** The last state code that could be read. */
	state: number = stateCode.RUNNABLE;
	/** The virtual thread mounted when its identity was last read. */
	virtual?: {readonly id: number; readonly name: string};
	/** Key, daemon flag and name come from the Java heap; and when the name was last read (performance.now). */
	isIdentified = false;
	identifiedMs = 0;
	/** Address of its thread status, and the collection count for which it is valid. */
	statusAddress = 0;
	statusClock = Number.NaN;
	/** Frames for which the state was last computed, and whether the thread's own status confirmed it. */
	frames?: Int32Array;
	isStateSure = false;
	/** It is in Object.wait, where another thread may change its status. */
	isNotifiable = false;
}

/** One thread of the target, kept from sample to sample. Each part is written by one module, named beside it. */
export class JavaThread {
	/**
	The row is complete and unchanged until the block or CPU time changes, and no other thread can change it. Set by
	sample-rows.ts, and cleared by whoever finds a change.
	*/
	hasValidRow = false;
	/** java-threads.ts: the block shows that it is not where its stack was walked: in Java code, moved on, never walked. */
	hasMoved = true;
	/** cpu/perf: an event records its CPU time. Its records and CPU time are read in every sample, its row is never kept. */
	hasEvent = false;
	/** cpu-times.ts. */
	readonly cpu: CpuTime;
	/** java-threads.ts, and whoever reads the stack: its JavaThread as of then. */
	readonly block: ThreadBlock = emptyBlock();
	/** Whoever reads the stack: thread-stacks.ts, cpu/perf, cpu/ptrace. */
	readonly stack = new ThreadStack();
	/** descriptions.ts. */
	readonly description = new Description();
	/** If either changes, the address belongs to another thread; the stack base is 0 until a thread first runs. */
	readonly osThread: number;
	readonly stackBase: number;
	/** java-threads.ts: the last round in which it was listed. */
	round = 0;
	/**
	present-threads.ts: the kernel lists it as a thread of the target. Only then may it be stopped: the id that the target
	reports may be wrong, and another process's.
	*/
	isThere = false;
	/** present-threads.ts: it may run at any time, see other-threads-idle.ts. */
	isWatched = false;
	/** `SteadyThreads`: for how long it was running in every update, and the last update that found it running. */
	steadyNs = 0;
	ranAtUpdate = -1;
	/** locks.ts: what it waits for, as last read. */
	lock?: KnownLock;
	/** sample-rows.ts: its row in the sample being filled, or in the previous one, and the frames there. */
	row = -1;
	sampledFrames?: Int32Array;
	/** derived-state.ts: since when it has been idle in the VM although RUNNABLE (performance.now); NaN if not. */
	stalledSinceMs = Number.NaN;

	/** `address`: of the JavaThread; `nativeId`: Linux id as in /proc/PID/task, 0 if unknown. */
	constructor(readonly address: number, block: ThreadBlock, readonly nativeId: number) {
		this.osThread = block.osThread;
		this.stackBase = block.stackBase;
		this.cpu = new CpuTime(nativeId);
		Object.assign(this.block, block);
	}

	/** It executes Java code and has no anchor; only its registers show where it is. */
	get isInJava(): boolean {
		return this.block.state === javaThreadState.inJava;
	}

	/** Its stack cannot have changed since it was last walked. */
	get isUnchanged(): boolean {
		return !this.hasMoved && this.cpu.isIdle && this.stack.end !== 'broken';
	}
}
