import {lockKindCode} from '../../../model/sample.js';
import {isSameAnchor, javaThreadState, type ThreadBlock} from '../hotspot/thread-block.js';
import {type ThreadIdentity, type VirtualIdentity} from '../hotspot/thread-object.js';
import {unknownWalk, type WalkedStack} from '../unwind/walker.js';
import {CpuTime} from './cpu-times.js';
import {Description} from './description.js';
import {SampleRow} from './row-cache.js';
import {ShownState} from './shown-state.js';
import {PartOwner, ThreadPart, noData} from './thread-part.js';

/** Fields of a thread's JavaThread as last read. */
class ThreadPlace extends ThreadPart<object> {
	readonly #block: ThreadBlock;

	constructor(owner: PartOwner, block: ThreadBlock) {
		super(owner, noData);
		this.#block = {...block};
	}

	get block(): Readonly<ThreadBlock> {
		return this.#block;
	}

	/** It is not where its stack was last walked from; always so in Java code, which has no anchor. */
	get hasMoved(): boolean {
		return !this.isSettled;
	}

	/** Sets the block by `fill`, which returns whether it could; returns that. */
	read(fill: (into: ThreadBlock) => boolean): boolean {
		return fill(this.#block);
	}

	setBlock(block: Readonly<ThreadBlock>): void {
		Object.assign(this.#block, block);
	}

	setMoved(hasMoved: boolean): void {
		this.set(noData, !hasMoved);
	}
}

/** A thread's stack as of its last walk, which began at the anchor in `#walkedFrom`. */
class ThreadStack extends ThreadPart<WalkedStack> {
	#walkedFrom?: Pick<ThreadBlock, 'anchorSp' | 'anchorPc' | 'anchorFp' | 'state'>;

	constructor(owner: PartOwner) {
		super(owner, {...unknownWalk(), end: 'root'}, true);
	}

	/** Frame ids, innermost first. */
	get frames(): Int32Array {
		return this.value.frames;
	}

	get end(): WalkedStack['end'] {
		return this.value.end;
	}

	/** Index of the carrier's first frame, after those of its mounted virtual thread; -1 if none is mounted. */
	get carrierStart(): number {
		return this.value.carrierStart;
	}

	/** The virtual thread's frames in the heap are unreadable. */
	get isHeapMissing(): boolean {
		return this.value.isHeapMissing;
	}

	get hasVirtualThread(): boolean {
		return this.carrierStart >= 0;
	}

	wasWalkedFrom(block: ThreadBlock): boolean {
		const from = this.#walkedFrom;
		return from !== undefined && isSameAnchor(from, block) && from.state === block.state;
	}

	/** `walkedFrom`: the block at whose anchor the walk began; undefined if it began elsewhere. */
	setWalked({frames, end, carrierStart, isHeapMissing}: WalkedStack, walkedFrom?: ThreadBlock): void {
		this.set({frames, end, carrierStart, isHeapMissing}, end !== 'broken' && carrierStart < 0);
		this.#walkedFrom = walkedFrom && {...walkedFrom};
	}

	setUnknown(): void {
		this.setWalked(unknownWalk());
	}
}

/** The virtual thread that is mounted on a carrier, as last read; rows of carriers are always filled again. */
class MountedThread {
	#identity?: VirtualIdentity;

	get identity(): VirtualIdentity | undefined {
		return this.#identity;
	}

	setIdentity(identity: VirtualIdentity | undefined): void {
		this.#identity = identity;
	}
}

/** Whether perf events record a thread. Then its records and CPU time are read in every sample. */
class ThreadRecords extends ThreadPart<object> {
	constructor(owner: PartOwner) {
		super(owner, noData, true);
	}

	get isRecorded(): boolean {
		return !this.isSettled;
	}

	setRecorded(isRecorded: boolean): void {
		this.set(noData, !isRecorded);
	}
}

/** What shows that a thread is still there. */
class ThreadPresence {
	#listNumber = 0;
	#exists = false;

	/** Number of the JVM's last list that contains the thread. */
	get listNumber(): number {
		return this.#listNumber;
	}

	/**
	The kernel lists it as a thread of the target. Only then may it be stopped: the Linux id that the target reports may
	be wrong, and belong to another process.
	*/
	get exists(): boolean {
		return this.#exists;
	}

	setListed(listNumber: number): void {
		this.#listNumber = listNumber;
	}

	setExists(exists: boolean): void {
		this.#exists = exists;
	}
}

/**
Who holds a lock: a platform thread, or a virtual one by its id. `readers`: number of read holds; the holder is then the
first reader, if it still holds the lock. `ended`: a platform thread that has ended without releasing it.
*/
export type Holder = {
	readonly thread?: JavaThread;
	readonly virtualId?: number;
	readonly readers?: number;
	readonly ended?: ThreadIdentity;
};

/** What a thread waits for: kind and class as in a sample, and the holder. */
export type Lock = {
	readonly kind: number;
	readonly className: number;
	readonly holder?: Holder;
	/** Reads the holder again; undefined for a lock that has none. */
	readonly readHolder?: () => Holder | undefined;
};

/** The thread waits for nothing. */
export const noLock: Lock = {kind: lockKindCode.none, className: 0};

/**
A lock as last read; and for what it is valid: the thread's frames and state, and the count of collections.
`holderFrames`: where its holder was.
*/
export type ReadLock = Lock & {
	readonly frames: Int32Array;
	readonly state: number;
	readonly collections: number;
	readonly holderFrames?: Int32Array;
};

/** The thread runs or is IDLE, so it waits for no lock until it is read again. */
export const notWaiting: ReadLock = {...noLock, frames: new Int32Array(), state: -1, collections: Number.NaN};

/** The lock that a thread waits for. Its holder is not a datum of this part: it is set in all rows that have one. */
class ThreadLock extends ThreadPart<Pick<Lock, 'kind' | 'className'>> {
	#last?: ReadLock;

	constructor(owner: PartOwner) {
		super(owner, noLock);
	}

	/** As last read; undefined if it could not be read. */
	get last(): ReadLock | undefined {
		return this.#last;
	}

	get kind(): number {
		return this.value.kind;
	}

	get className(): number {
		return this.value.className;
	}

	setLock(lock: ReadLock | undefined): void {
		const {kind, className} = lock ?? noLock;
		this.#last = lock;
		// Another thread may release a lock that has a holder.
		this.set({kind, className}, lock !== undefined && !lock.readHolder);
	}
}

/** A thread of the target, kept from sample to sample. */
export class JavaThread extends PartOwner {
	readonly place: ThreadPlace;
	readonly presence = new ThreadPresence();
	readonly stack = new ThreadStack(this);
	readonly cpu: CpuTime;
	readonly records = new ThreadRecords(this);
	readonly description = new Description(this);
	readonly state = new ShownState(this);
	readonly lock = new ThreadLock(this);
	readonly mounted = new MountedThread();
	readonly row = new SampleRow();
	/**
	If the block's `osThread` or `stackBase` (0 until a thread first runs) differs, another thread has the address.
	*/
	readonly osThread: number;
	readonly stackBase: number;

	/** `address`: of HotSpot's JavaThread; `nativeId`: Linux id as in /proc/PID/task, 0 if unknown. */
	constructor(readonly address: number, block: ThreadBlock, readonly nativeId: number) {
		super();
		this.osThread = block.osThread;
		this.stackBase = block.stackBase;
		this.cpu = new CpuTime(this, nativeId);
		this.place = new ThreadPlace(this, block);
	}

	get block(): Readonly<ThreadBlock> {
		return this.place.block;
	}

	/** Whether it runs Java code: then it has no anchor, and only its registers show where it is. */
	get isInJava(): boolean {
		return this.block.state === javaThreadState.inJava;
	}

	/** Whether its stack cannot have changed since it was last walked. */
	get hasSameStack(): boolean {
		return this.place.isSettled && this.cpu.isSettled && this.stack.end !== 'broken';
	}

	protected get parts(): ReadonlyArray<ThreadPart<object>> {
		return [this.place, this.cpu, this.stack, this.records, this.description, this.state, this.lock];
	}
}
