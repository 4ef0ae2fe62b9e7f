import {stateCode} from '../../../model/thread-state.js';
import {type Chain} from '../process/read-ahead.js';
import {WalkedStack} from '../stacks/walked-stack.js';
import {type CpuTurn} from './cpu-turns.js';
import {emptyBlock, javaThreadState, type ThreadBlock} from './thread-block.js';

/** Who holds a lock, and how often it is held for reading. */
export type Holder = {readonly thread?: JavaThread; readonly readers?: number};

/** What a thread waits for: kind and class as a sample has them, and the thread that holds it. */
export type Lock = {
	readonly kind: number;
	readonly className: number;
	owner?: JavaThread;
	/** How often it is held for reading; the owner is then the first that does, if it still does. */
	readers?: number;
	/** Looks again who holds it; missing where nobody can. */
	readonly ownerSlot?: () => Holder | undefined;
	/** Reads ahead what that reads. */
	readonly ownerAhead?: () => Chain;
};

/** A lock as a thread remembers it, with what it holds for. */
export type KnownLock = Lock & {readonly frames: Int32Array; readonly state: number; readonly clock: number};

/** What is remembered of one thread of the target from sample to sample, with its stack as last walked. */
export class JavaThread extends WalkedStack implements CpuTurn {
	/**
	Nothing is to be done for it until its block changes or it is found to have used CPU: it stands where it stood, its
	row says all that is known of it, and no other thread can change that.
	*/
	isSettled = false;
	/**
	It does not stand where its stack was walked from, as far as its block tells: in Java code, gone on, or never
	walked.
	*/
	hasMoved = true;
	/**
	Its CPU time is recorded by an event (timer/followed-threads): its records are taken and its CPU time is read in
	every sample, and it is never settled.
	*/
	hasEvent = false;
	/** For how long looks have found it at work each time, and the number of the last that did (steadiness). */
	ranOnNs = 0;
	ranAtLook = -1;
	/** Its row in the sample that is being filled, or in the one before. */
	row = -1;
	/** See `CpuTurn`; what is looked at in every sample stands together, at the front. */
	cpuDueMs = 0;
	livelyUntilMs = 0;
	cpuReadMs = 0;
	isWatched = false;
	/** The thread's block in this sample. */
	readonly block: ThreadBlock = emptyBlock();
	/**
	The address is used by another thread when either of these is another; the stack's base is not there before a thread
	first runs (see `block`).
	*/
	readonly osThread: number;
	readonly stackBase: number;
	/** Linux id as /proc/PID/task has it; 0 if not known. */
	readonly nativeId: number;
	/** Key and name, once they are known. */
	key = 0;
	name = '';
	flags = 0;
	/**
	Whether key, daemon-ness and name come from the Java heap; the name may change, and is read again now and then: when
	it was read last (performance.now).
	*/
	isIdentified = false;
	identifiedMs = 0;
	/** Where its thread status stands, and the collection count for which that holds. */
	statusAddress = 0;
	statusClock = Number.NaN;
	/** Where its status and its block are among what is read together; -1 when they are not. */
	statusPlace = -1;
	blockPlace = -1;
	/** State code of the last sample in which it could be read. */
	state: number = stateCode.RUNNABLE;
	/**
	The kernel knows it as a thread of the target: only then may it be stopped. What the target says its id is may be
	wrong, and another process's.
	*/
	isThere = false;
	/** It could run, but waited for a CPU when it was looked at; only known where threads are stopped. */
	isOffCpu = false;
	/** It was found at work at a moment that does not depend on what it does; only known where threads are stopped. */
	wasOnCpu = false;
	/** See `CpuTurn`. */
	cpuNs = 0;
	isCpuKnown = false;
	waitNs = 0;
	lifeCpuNs = 0;
	lifeWaitNs = 0;
	lifeTurns = 0;
	newTurns = 0;
	/**
	The virtual thread that was mounted when its identity was last read, by the content of JavaThread._vthread's slot.
	*/
	virtual?: {readonly key: number; readonly name: string};
	/** The frames for which the state was last worked out, and whether the thread's own status said so. */
	describedFrames?: Int32Array;
	isStateSure = false;
	/** It is in Object.wait, where another thread may change its status: to that of one that waits to go on. */
	isNotifiable = false;
	/** The anchor that the stack was walked from; NaN when it was not walked from one. */
	walkedSp = Number.NaN;
	walkedPc = 0;
	walkedFp = 0;
	walkedState = 0;
	/**
	Since when it stands still inside the VM though it is RUNNABLE (stalls.ts), on the clock of performance.now; NaN
	when it does not.
	*/
	standsStillSinceMs = Number.NaN;
	/** What it waited for when that was last looked up. */
	lock?: KnownLock;
	/** The frames that it had in the sample before. */
	sampledFrames?: Int32Array;
	/** Round in which it was last in the list. */
	round = 0;

	/** `address`: that of the JavaThread. */
	constructor(readonly address: number, block: ThreadBlock, nativeId: number) {
		super();
		this.osThread = block.osThread;
		this.stackBase = block.stackBase;
		this.nativeId = nativeId;
		Object.assign(this.block, block);
	}

	/** It executes Java code, and keeps no anchor: only its registers tell where it is. */
	get isInJava(): boolean {
		return this.block.state === javaThreadState.inJava;
	}

	/** Nothing says that the stack could be another than the one last walked. */
	get isUnchanged(): boolean {
		return !this.hasMoved && this.isCpuKnown && this.cpuNs === 0 && this.end !== 'broken';
	}

	/** Whether a block has the anchor and state that the stack was walked from. */
	wasWalkedFrom(block: ThreadBlock): boolean {
		return block.anchorSp === this.walkedSp && block.anchorPc === this.walkedPc && block.anchorFp === this.walkedFp && block.state === this.walkedState;
	}

	/** Remembers from which anchor the stack was walked; `undefined` when it was not from one. */
	setWalked(block: ThreadBlock | undefined): void {
		this.walkedSp = block?.anchorSp ?? Number.NaN;
		this.walkedPc = block?.anchorPc ?? 0;
		this.walkedFp = block?.anchorFp ?? 0;
		this.walkedState = block?.state ?? 0;
	}
}
