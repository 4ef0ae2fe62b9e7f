import {stateCode} from '../../../model/thread-state.js';
import {WalkedStack} from '../unwind/walker.js';
import {emptyBlock, javaThreadState, type ThreadBlock} from '../hotspot/thread-block.js';
import {type ThreadCpuTime} from './cpu-times.js';

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

/** How a thread's name and state were last read; written by descriptions.ts only. */
class Description {
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

/** One thread of the target, kept from sample to sample, with its last walked stack. */
export class JavaThread extends WalkedStack implements ThreadCpuTime {
	/** The row is complete and unchanged until the block or CPU time changes; no other thread can change it. */
	hasValidRow = false;
	/** The block shows that the thread is not where its stack was walked: in Java code, moved on, or never walked. */
	hasMoved = true;
	/** An event records its CPU time: its records and CPU time are read in every sample, and its row is never kept. */
	hasEvent = false;
	/** For how long it was running in every update of `SteadyThreads`, and the last update that found it running. */
	steadyNs = 0;
	ranAtUpdate = -1;
	/** Row in the sample being filled, or in the previous one. */
	row = -1;
	/** See `ThreadCpuTime`. Fields read in every sample come first. */
	cpuDueMs = 0;
	activeUntilMs = 0;
	isWatched = false;
	/** The thread's block in this sample. */
	readonly block: ThreadBlock = emptyBlock();
	/** If either changes, the address belongs to another thread; the stack base is 0 until a thread first runs. */
	readonly osThread: number;
	readonly stackBase: number;
	/** Linux id as in /proc/PID/task; 0 if unknown. */
	readonly nativeId: number;
	/** Key and name, once known. */
	key = 0;
	name = '';
	flags = 0;
	readonly description = new Description();
	/** The last state code that could be read. */
	state: number = stateCode.RUNNABLE;
	/**
	The kernel lists it as a thread of the target. Only then may it be stopped: the id that the target reports may be
	wrong, and another process's.
	*/
	isThere = false;
	/** See `ThreadCpuTime`. */
	cpuNs = 0;
	isCpuKnown = false;
	waitNs = 0;
	lifeWaitNs = 0;
	timeslices = 0;
	newTimeslices = 0;
	/** The virtual thread mounted when its identity was last read. */
	virtual?: {readonly key: number; readonly name: string};
	/** The anchor that the stack was walked from; NaN if none. */
	walkedSp = Number.NaN;
	walkedPc = 0;
	walkedFp = 0;
	walkedState = 0;
	/**
	Since when it has been idle inside the VM although RUNNABLE (derived-state.ts), by performance.now; NaN if it is not.
	*/
	stalledSinceMs = Number.NaN;
	/** What it waits for, as last read. */
	lock?: KnownLock;
	/** The frames in the previous sample. */
	sampledFrames?: Int32Array;
	/** The last round in which it was listed. */
	round = 0;

	/** `address`: of the JavaThread. */
	constructor(readonly address: number, block: ThreadBlock, nativeId: number) {
		super();
		this.osThread = block.osThread;
		this.stackBase = block.stackBase;
		this.nativeId = nativeId;
		Object.assign(this.block, block);
	}

	/** It executes Java code and has no anchor; only its registers show where it is. */
	get isInJava(): boolean {
		return this.block.state === javaThreadState.inJava;
	}

	/** Its stack cannot have changed since it was last walked. */
	get isUnchanged(): boolean {
		return !this.hasMoved && this.isCpuKnown && this.cpuNs === 0 && this.end !== 'broken';
	}

	/** Whether a block has the anchor and state that the stack was walked from. */
	wasWalkedFrom(block: ThreadBlock): boolean {
		return block.anchorSp === this.walkedSp && block.anchorPc === this.walkedPc && block.anchorFp === this.walkedFp && block.state === this.walkedState;
	}

	/** Sets the anchor that the stack was walked from; `undefined`: none. */
	setWalked(block: ThreadBlock | undefined): void {
		this.walkedSp = block?.anchorSp ?? Number.NaN;
		this.walkedPc = block?.anchorPc ?? 0;
		this.walkedFp = block?.anchorFp ?? 0;
		this.walkedState = block?.state ?? 0;
	}
}
