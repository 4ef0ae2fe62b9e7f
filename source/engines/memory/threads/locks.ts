import type {Interner} from '../../../model/frame.js';
import {normalClassName} from '../../../model/class-name.js';
import {lockKindCode, type Sample} from '../../../model/sample.js';
import {printable} from '../../../model/text.js';
import {stateCode} from '../../../model/thread-state.js';
import {moving, type HeapClock} from '../hotspot/collections.js';
import {type Heap} from '../hotspot/heap.js';
import {has} from '../hotspot/layout.js';
import {isAligned} from '../process/memory.js';
import {klassSymbol, type Methods, symbolName} from '../hotspot/methods.js';
import {type Vm} from '../hotspot/vm.js';
import {type ThreadObjects} from './thread-object.js';
import {type Holder, type JavaThread, type Lock} from './java-thread.js';
import {waitKind} from './derived-state.js';
import {type TakenAt} from './taken-at.js';

/** First release in which a monitor keeps its object by a weak handle (JDK-8247281), not by the object's address. */
const weakHandles = 16;

const none: Lock = {kind: lockKindCode.none, className: 0};

/**
ObjectMonitor::ANONYMOUS_OWNER: another thread made the monitor of a lock that was held without one, and the holder does
not know yet (objectMonitor.hpp, 21 and later).
*/
const anonymousOwner = 1;

/** Objects that a thread can hold without a monitor (LockStack::CAPACITY is 8). */
const lockStackLimit = 8;

/** Most classes whose names are kept. */
const classesLimit = 4096;

/** Deepest hierarchy of synchronizers looked through for the owner's field. */
const superLimit = 8;

/**
Where a synchronizer says who holds it: AbstractOwnableSynchronizer, ReentrantReadWriteLock.Sync, AbstractQueuedSynchronizer
or AbstractQueuedLongSynchronizer.
*/
type SynchronizerOffsets = Record<(typeof synchronizerFields)[number][0], number>;
const synchronizerFields = [
	['owner', {field: 'exclusiveOwnerThread', signature: 'Ljava/lang/Thread;'}],
	['firstReader', {field: 'firstReader', signature: 'Ljava/lang/Thread;'}],
	['state', {field: 'state', signature: 'I'}],
	['longState', {field: 'state', signature: 'J'}],
] as const;

/**
What threads wait for, and who holds it: monitors out of the thread's own structures and the monitor's, synchronizers of
java.util.concurrent out of the object that the thread parks for.
*/
export class Locks {
	readonly #vm: Vm;
	readonly #heap: Heap;
	readonly #objects: ThreadObjects;
	readonly #clock: HeapClock;
	readonly #methods: Methods;
	readonly #interner: Interner;
	readonly #takenAt: TakenAt;
	/**
	Offsets of fields in synchronizers of a class; NaN for classes that have none. By class, good as long as
	classes stay: a class unloaded and another in its place gives an object that is not a thread.
	*/
	readonly #offsets = new Map<number, SynchronizerOffsets>();
	/** Names of classes of locks, by class. */
	readonly #classIds = new Map<number, {readonly symbol: number; readonly id: number}>();
	#threads: readonly JavaThread[] = [];
	/** The clock of this sample; undefined until it is asked for. */
	#clockRead: number | undefined;
	/** Threads of the sample by address and by id as an owner; made when first asked for. */
	#byAddress: Map<number, JavaThread> | undefined;
	#byOwnerId: Map<number, JavaThread> | undefined;

	constructor(vm: Vm, parts: {
		readonly heap: Heap; readonly objects: ThreadObjects; readonly clock: HeapClock; readonly methods: Methods; readonly interner: Interner; readonly takenAt: TakenAt;
	}) {
		this.#vm = vm;
		this.#heap = parts.heap;
		this.#objects = parts.objects;
		this.#clock = parts.clock;
		this.#methods = parts.methods;
		this.#interner = parts.interner;
		this.#takenAt = parts.takenAt;
	}

	/** Takes the threads of a sample, among which owners are looked for. */
	start(threads: readonly JavaThread[]): void {
		this.#threads = threads;
		this.#clockRead = undefined;
		this.#byAddress = undefined;
		this.#byOwnerId = undefined;
		this.#takenAt.start();
	}

	/**
	Says in a thread's row who holds what it waits for, and where that one took it. An owner remembered from an earlier
	round may have ended. Synchronizers of java.util.concurrent leave no trace of that: the frame that called lock() has
	returned. A thread that has just got its monitor is blocked still while a safepoint keeps it from going on: nobody
	holds it up.
	*/
	fill(into: Sample, {row, lock, block: {pendingMonitor}}: JavaThread, round: number): void {
		const owner = lock?.owner;
		const isThere = owner?.round === round && !(owner.row === row && lock?.kind === lockKindCode.monitor);
		into.lockReaders[row] = lock?.readers ?? 0;
		into.lockOwner[row] = isThere ? owner.row : -1;
		into.lockOwnerFrame[row] = isThere && lock?.kind === lockKindCode.monitor && pendingMonitor !== 0
			? this.#takenAt.frameOf(owner, pendingMonitor, () => this.#safely(() => this.#monitorObject(pendingMonitor)))
			: 0;
	}

	/** What a thread waits for; never throws. */
	of(thread: JavaThread): Lock {
		if (thread.state !== stateCode.BLOCKED && thread.state !== stateCode.WAITING && thread.state !== stateCode.TIMED_WAITING) {
			return none;
		}

		// A thread that has not run waits for the same thing; who holds it may change, and so may where that stands in
		// the heap.
		const known = thread.lock;
		if (known?.frames === thread.frames && known.state === thread.state) {
			if (known.ownerSlot === undefined) {
				return known;
			}

			const isInPlace = known.kind === lockKindCode.monitor || (known.clock === this.#clockNow && this.#clockNow !== moving);
			if (this.#clockNow === moving && this.#vm.collector === 'stop-the-world') {
				return known;
			}

			if (isInPlace) {
				const holder = known.ownerSlot();
				known.owner = holder?.thread;
				known.readers = holder?.readers;
				return known;
			}
		}

		const lock = this.#find(thread);
		// What could not be read while objects moved is looked for again.
		const isKnown = lock !== undefined && (lock.kind === lockKindCode.none || lock.className !== 0);
		thread.lock = isKnown ? {...lock, frames: thread.frames, state: thread.state, clock: this.#clockNow} : undefined;
		return lock ?? none;
	}

	get #clockNow(): number {
		this.#clockRead ??= this.#clock.now();
		return this.#clockRead;
	}

	#ofAddress(address: number): JavaThread | undefined {
		this.#byAddress ??= new Map(this.#threads.map(thread => [thread.address, thread]));
		return this.#byAddress.get(address);
	}

	#ofOwnerId(id: number): JavaThread | undefined {
		this.#byOwnerId ??= new Map(this.#threads.map(thread => [thread.block.monitorOwnerId, thread]));
		return this.#byOwnerId.get(id);
	}

	#find(thread: JavaThread): Lock | undefined {
		const {state, block} = thread;
		if (state === stateCode.BLOCKED && block.pendingMonitor !== 0) {
			return this.#owned(lockKindCode.monitor, this.#monitorClass(block.pendingMonitor), () => ({thread: this.#monitorOwner(block.pendingMonitor)}));
		}

		if (state === stateCode.BLOCKED) {
			return none;
		}

		const kind = waitKind(thread, this.#methods);
		if (kind === 'wait') {
			return {kind: lockKindCode['monitor-wait'], className: block.waitingMonitor === 0 ? 0 : this.#monitorClass(block.waitingMonitor)};
		}

		return kind === 'park' ? this.#parked(thread) : none;
	}

	#monitorClass(monitor: number): number {
		return this.#safely(() => this.#classId(this.#monitorObject(monitor))) ?? 0;
	}

	#monitorObject(monitor: number): number {
		const {reader, layout: {fields}, release} = this.#vm;
		const object = reader.word(monitor + fields.monitorObject);
		return release >= weakHandles ? this.#heap.reference(object, true) : object;
	}

	/**
	Up to 23 the owner is a JavaThread, or, for a lock that another thread inflated, an address in the owner's stack;
	since 24 it is the owner's id (JDK-8338383). Small numbers stand for "not known".
	*/
	#monitorOwner(monitor: number): JavaThread | undefined {
		const {reader, layout: {fields}} = this.#vm;
		try {
			const owner = reader.word(monitor + fields.monitorOwner);
			if (owner === anonymousOwner && has(fields.lockStack)) {
				return this.#safely(() => this.#holderOf(this.#monitorObject(monitor)));
			}

			if (has(fields.monitorOwnerId)) {
				return this.#ofOwnerId(owner);
			}

			return isAligned(owner) ? this.#ofAddress(owner) ?? this.#threads.find(({block: {stackBase, stackSize}}) => owner < stackBase && owner >= stackBase - stackSize) : undefined;
		} catch {
			return undefined;
		}
	}

	/** The thread that has an object in its lock stack. */
	#holderOf(oop: number): JavaThread | undefined {
		const {reader, layout: {fields}} = this.#vm;
		return this.#threads.find(({address}) => {
			// The top is an offset in the JavaThread.
			const base = fields.lockStack + fields.lockStackBase;
			const count = (reader.u32(address + fields.lockStack + fields.lockStackTop) - base) / 8;
			return count > 0 && count <= lockStackLimit && Array.from({length: count}, (_, index) => this.#heap.local(address + base + (8 * index))).includes(oop);
		});
	}

	#parked(thread: JavaThread): Lock | undefined {
		return this.#safely<Lock>(() => {
			const blocker = this.#objects.parkBlocker(this.#objects.objectOf(thread.address, thread.block.threadObject));
			if (blocker === 0) {
				return none;
			}

			const offsets = this.#offsetsOf(this.#heap.klassOf(blocker));
			return has(offsets.owner)
				? this.#owned(lockKindCode.park, this.#classId(blocker), () => this.#safely(() => this.#holderOfSynchronizer(blocker, offsets)))
				: {kind: lockKindCode.park, className: this.#classId(blocker)};
		});
	}

	#owned(kind: number, className: number, ownerSlot: () => Holder | undefined): Lock {
		const holder = ownerSlot();
		return {kind, className, owner: holder?.thread, readers: holder?.readers, ownerSlot};
	}

	/**
	The thread in AbstractOwnableSynchronizer.exclusiveOwnerThread; or, where a ReentrantReadWriteLock is held for
	reading, how often (the upper half of its state, a long since 25), and the thread in firstReader: the one that has held it since
	nobody did, null once that has let go. Of the others each knows for itself.
	*/
	#holderOfSynchronizer(synchronizer: number, {owner, firstReader, state, longState}: SynchronizerOffsets): Holder {
		const thread = this.#threadIn(synchronizer + owner);
		if (thread !== undefined || !has(firstReader) || !(has(state) || has(longState))) {
			return {thread};
		}

		const {reader} = this.#vm;
		const readers = has(state) ? reader.u32(synchronizer + state) >>> 16 : reader.u32(synchronizer + longState + 4);
		return readers > 0 ? {thread: this.#threadIn(synchronizer + firstReader), readers} : {thread};
	}

	#threadIn(field: number): JavaThread | undefined {
		const oop = this.#heap.reference(field);
		return oop === 0 ? undefined : this.#ofAddress(this.#objects.nativeThreadOf(oop));
	}

	#offsetsOf(klass: number): SynchronizerOffsets {
		let offsets = this.#offsets.get(klass);
		if (offsets === undefined) {
			offsets = {
				owner: Number.NaN, firstReader: Number.NaN, state: Number.NaN, longState: Number.NaN,
			};
			for (let at = klass, depth = 0; at !== 0 && depth < superLimit && !has(offsets.owner); depth++) {
				for (const [name, {field, signature}] of synchronizerFields) {
					offsets[name] = has(offsets[name]) ? offsets[name] : this.#heap.fieldOffset(at, field, signature) ?? Number.NaN;
				}

				at = this.#vm.reader.word(at + this.#vm.layout.fields.klassSuper);
			}

			this.#offsets.set(klass, offsets);
		}

		return offsets;
	}

	/** A class has one name: a class unloaded and another in its place would have to have its Symbol, too. */
	#classId(oop: number): number {
		const klass = this.#heap.klassOf(oop);
		const symbol = klassSymbol(this.#vm, klass);
		const known = this.#classIds.get(klass);
		if (known?.symbol === symbol) {
			return known.id;
		}

		const id = this.#interner.internString(printable(normalClassName(symbolName(this.#vm, symbol))));
		if (this.#classIds.size >= classesLimit) {
			this.#classIds.clear();
		}

		this.#classIds.set(klass, {symbol, id});
		return id;
	}

	/** What was read of the heap, if nothing can have moved meanwhile. */
	#safely<T>(read: () => T): T | undefined {
		const isStopTheWorld = this.#vm.collector === 'stop-the-world';
		// The clock of the sample tells as much as one of now, if it has not moved on when all is read.
		const before = this.#clockNow;
		if (isStopTheWorld && before === moving) {
			this.#clockRead = undefined;
			return undefined;
		}

		try {
			this.#heap.isDoubtful = false;
			const result = read();
			if (isStopTheWorld && this.#clock.now() !== before) {
				this.#clockRead = undefined;
				return undefined;
			}

			return isStopTheWorld || !this.#heap.isDoubtful ? result : undefined;
		} catch {
			return undefined;
		}
	}
}
