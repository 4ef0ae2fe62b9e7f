import {stateCode} from '../../../model/thread-state.js';
import {lockKindCode} from '../../../model/sample.js';
import {WalkedStack} from '../unwind/walker.js';
import {emptyBlock, isSameAnchor, javaThreadState, type ThreadBlock} from '../hotspot/thread-block.js';
import {type ThreadIdentity, type VirtualIdentity} from '../hotspot/thread-object.js';
import {CpuTime} from './cpu-times.js';

/**
Who holds a lock: a platform thread, or a virtual one by its id. `readers`: number of read holds; the holder is then the
first reader, if it still holds the lock. `ended`: a platform thread that has ended without releasing it.
*/
export type Holder = {readonly thread?: JavaThread; readonly virtualId?: number; readonly readers?: number; readonly ended?: ThreadIdentity};

/** What a thread waits for: kind and class as in a sample, and the holder. */
export type Lock = {
	readonly kind: number;
	readonly className: number;
	holder?: Holder;
	/** Reads the holder again; undefined for a lock that has none. */
	readonly readHolder?: () => Holder | undefined;
};

/** The thread waits for nothing. */
export const noLock: Lock = {kind: lockKindCode.none, className: 0};

/**
A lock, and the thread's frames and state, and the count of collections, for which it is valid. `holderFrames`: where
its holder was.
*/
export type CachedLock = Lock & {
	readonly frames: Int32Array;
	readonly state: number;
	readonly collections: number;
	readonly holderFrames?: Int32Array;
};

/** A thread's stack as of its last walk, which began at the anchor in `#walkedFrom`. */
class ThreadStack extends WalkedStack {
	#walkedFrom?: Pick<ThreadBlock, 'anchorSp' | 'anchorPc' | 'anchorFp' | 'state'>;

	wasWalkedFrom(block: ThreadBlock): boolean {
		const from = this.#walkedFrom;
		return from !== undefined && isSameAnchor(from, block) && from.state === block.state;
	}

	setWalkedFrom(block: ThreadBlock | undefined): void {
		this.#walkedFrom = block && {...block};
	}

	setUnknown(): void {
		this.frames = new Int32Array();
		this.end = 'broken';
		this.carrierStart = -1;
		this.isHeapMissing = false;
		this.#walkedFrom = undefined;
	}
}

/** What a thread's java.lang.Thread tells about it. `key`: that of its rows, 0 until described. */
class Description {
	key = 0;
	name = '';
	flags = 0;
	state: number = stateCode.RUNNABLE;
	/** The virtual thread that was mounted when this was last read. */
	virtual?: VirtualIdentity;
	/** Key, daemon flag and name were read from the Java heap. */
	isIdentified = false;
	/** When they were read (performance.now). */
	identifiedMs = 0;
	statusAddress = 0;
	/** The collection count for which `statusAddress` is valid. */
	statusCollections = Number.NaN;
	/** The frames for which the state was found. */
	frames?: Int32Array;
	/** The state is certain: it was read from the thread's status while the thread did not move. */
	isStateConfirmed = false;
	/** The thread is in Object.wait, where another thread may change its status. */
	isNotifiable = false;
}

/** A thread of the target, kept from sample to sample. Each part is written by the module named in its comment. */
export class JavaThread {
	/**
	sample-rows.ts: the row remains valid until the block or CPU time changes, and no other thread can change it.
	Cleared by any module that finds a change.
	*/
	hasValidRow = false;
	/** java-threads.ts: it is not where its stack was last walked from; always so in Java code, which has no anchor. */
	hasMoved = true;
	/** cpu/perf: perf records it. Its records and CPU time are read in every sample, and its row is not reused. */
	isRecorded = false;
	/** cpu-times.ts. */
	readonly cpu: CpuTime;
	/** java-threads.ts and the modules that read stacks: fields of its JavaThread as last read. */
	readonly block: ThreadBlock = emptyBlock();
	/** The modules that read stacks: thread-stacks.ts, cpu/perf, cpu/ptrace. */
	readonly stack = new ThreadStack();
	/** descriptions.ts. */
	readonly description = new Description();
	/** If the block's `osThread` or `stackBase` (0 until a thread first runs) differs, another thread has the address. */
	readonly osThread: number;
	readonly stackBase: number;
	/** java-threads.ts: number of the last list that contains it. */
	listNumber = 0;
	/**
	live-threads.ts: the kernel lists it as a thread of the target. Only then may it be stopped: the Linux id that
	the target reports may be wrong, and belong to another process.
	*/
	exists = false;
	/** live-threads.ts: it may run at any time; see unwatched-threads.ts. */
	isWatched = false;
	/** `SteadyThreads`: for how long every update has found it running, and the number of the last update that has. */
	steadyNs = 0;
	ranAtUpdate = -1;
	/** locks.ts: the lock that it waits for, as last read. */
	lock?: CachedLock;
	/** sample-rows.ts: its row in the current sample (in the previous one until this is filled), and the row's frames. */
	row = -1;
	sampledFrames?: Int32Array;
	/** derived-state.ts: when it became idle in the VM although RUNNABLE (performance.now); NaN if it is not. */
	stalledSinceMs = Number.NaN;

	/** `address`: of HotSpot's JavaThread; `nativeId`: Linux id as in /proc/PID/task, 0 if unknown. */
	constructor(readonly address: number, block: ThreadBlock, readonly nativeId: number) {
		this.osThread = block.osThread;
		this.stackBase = block.stackBase;
		this.cpu = new CpuTime(nativeId);
		Object.assign(this.block, block);
	}

	/** Whether it runs Java code: then it has no anchor, and only its registers show where it is. */
	get isInJava(): boolean {
		return this.block.state === javaThreadState.inJava;
	}

	/** Whether its stack cannot have changed since it was last walked. */
	get isUnchanged(): boolean {
		return !this.hasMoved && this.cpu.isIdle && this.stack.end !== 'broken';
	}
}
