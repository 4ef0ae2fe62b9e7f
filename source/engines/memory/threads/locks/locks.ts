import type {Interner} from '../../../../model/frame.js';
import {normalClassName} from '../../../../model/class-name.js';
import {lockKindCode, type Sample} from '../../../../model/sample.js';
import {printable} from '../../../../model/text.js';
import {stateCode} from '../../../../model/thread-state.js';
import {moving, type HeapClock} from '../../hotspot/collections.js';
import {type Heap} from '../../hotspot/heap.js';
import {has} from '../../hotspot/layout.js';
import {isAligned} from '../../process/memory.js';
import {klassSymbol, type Methods, symbolName} from '../../hotspot/methods.js';
import {type SynchronizerOffsets, Synchronizers} from '../../hotspot/synchronizers.js';
import {type Chain, ReadAhead} from '../../process/read-ahead.js';
import {type Vm} from '../../hotspot/vm.js';
import {type ThreadObjects} from '../thread-object.js';
import {type Holder, type JavaThread, type KnownLock, type Lock} from '../java-thread.js';
import {waitKind} from '../derived-state.js';
import {LockWords} from './lock-words.js';
import {type TakenAt} from './taken-at.js';

const none: Lock = {kind: lockKindCode.none, className: 0};

/**
ObjectMonitor::ANONYMOUS_OWNER: another thread made the monitor of a lock that was held without one, and the holder does
not know yet (objectMonitor.hpp, 21 and later).
*/
const anonymousOwner = 1;

/** Objects that a thread can hold without a monitor (LockStack::CAPACITY is 8). */
const lockStackLimit = 8;

/** Below so many threads to be looked up, reading ahead saves nothing. */
const leastAhead = 3;

/** Most classes whose names are kept. */
const classesLimit = 4096;

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
	readonly #synchronizers: Synchronizers;
	/** Names of classes of locks, by class. */
	readonly #classIds = new Map<number, {readonly symbol: number; readonly id: number}>();
	#threads: readonly JavaThread[] = [];
	/** What this sample asks for of most threads, read together; nothing where objects moved meanwhile. */
	readonly #ahead: ReadAhead;
	readonly #words: LockWords;
	readonly #chains: Chain[] = [];
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
		this.#synchronizers = new Synchronizers(vm, parts.heap);
		this.#ahead = new ReadAhead(vm.reader.memory);
		this.#words = new LockWords(vm, this.#ahead, {...parts, synchronizers: this.#synchronizers});
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
		this.#readAhead();
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
			? this.#takenAt.frameOf(owner, pendingMonitor, () => this.#safely(() => this.#words.monitorObject(pendingMonitor), true))
			: 0;
	}

	/** What a thread waits for; never throws. */
	of(thread: JavaThread): Lock {
		if (!isWaiting(thread.state)) {
			return none;
		}

		// A thread that has not run waits for the same thing; who holds it may change, and so may where that stands in
		// the heap.
		const known = knownLock(thread);
		if (known) {
			if (known.ownerSlot === undefined) {
				return known;
			}

			const isInPlace = this.#isInPlace(known);
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

	/**
	Reads what `of` will ask for of threads that have parked or been blocked since they were looked up, and who holds
	what the others wait for. Objects must stay where they are meanwhile, so not with collectors that move them beside
	the program.
	*/
	#readAhead(): void {
		const ahead = this.#ahead;
		ahead.clear();
		if (this.#vm.collector !== 'stop-the-world') {
			return;
		}

		const chains = this.#chains;
		chains.length = 0;
		for (const thread of this.#threads) {
			const chain = thread.isSettled || !isWaiting(thread.state) ? undefined : this.#chainOf(thread);
			if (chain) {
				chains.push(chain);
			}
		}

		const clock = chains.length < leastAhead ? moving : this.#clockNow;
		if (clock !== moving) {
			ahead.follow(this.#vm.reader, chains);
			if (this.#clock.now() !== clock) {
				this.#haveMoved();
			}
		}
	}

	#chainOf(thread: JavaThread): Chain | undefined {
		const known = knownLock(thread);
		return known && (known.ownerSlot === undefined || this.#isInPlace(known)) ? known.ownerAhead?.() : this.#words.of(thread);
	}

	/** Whether it is where it was found: a monitor stays where it is. */
	#isInPlace({kind, clock}: KnownLock): boolean {
		return kind === lockKindCode.monitor || (clock === this.#clockNow && clock !== moving);
	}

	/** Forgets what holds only as long as objects do not move. */
	#haveMoved(): void {
		this.#clockRead = undefined;
		this.#ahead.clear();
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
			const monitor = block.pendingMonitor;
			return this.#owned(lockKindCode.monitor, this.#monitorClass(monitor), () => ({thread: this.#monitorOwner(monitor)}), () => this.#words.ofOwner(monitor));
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
		return this.#safely(() => this.#classId(this.#words.monitorObject(monitor))) ?? 0;
	}

	/**
	Up to 23 the owner is a JavaThread, or, for a lock that another thread inflated, an address in the owner's stack;
	since 24 it is the owner's id (JDK-8338383). Small numbers stand for "not known".
	*/
	#monitorOwner(monitor: number): JavaThread | undefined {
		const {reader, layout: {fields}} = this.#vm;
		try {
			const owner = reader.withAhead(this.#ahead, () => reader.word(monitor + fields.monitorOwner));
			if (owner === anonymousOwner && has(fields.lockStack)) {
				return this.#safely(() => this.#holderOf(this.#words.monitorObject(monitor)));
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

			const offsets = this.#synchronizers.offsetsOf(this.#heap.klassOf(blocker));
			return has(offsets.owner)
				? this.#owned(lockKindCode.park, this.#classId(blocker), () => this.#safely(() => this.#holderOfSynchronizer(blocker, offsets)), () => this.#words.ofHolder(blocker, offsets))
				: {kind: lockKindCode.park, className: this.#classId(blocker)};
		});
	}

	#owned(kind: number, className: number, ownerSlot: () => Holder | undefined, ownerAhead: () => Chain): Lock {
		const holder = ownerSlot();
		return {kind, className, owner: holder?.thread, readers: holder?.readers, ownerSlot, ownerAhead};
	}

	/**
	The thread in AbstractOwnableSynchronizer.exclusiveOwnerThread; or, where a ReentrantReadWriteLock is held for
	reading, how often (the upper half of its state, a long since 25), and the thread in firstReader: the one that has held
	it since nobody did, null once that has let go. Of the others each knows for itself.
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

	/**
	What was read of the heap, if nothing can have moved meanwhile. `isOfNow`: what was read ahead is too old.
	*/
	#safely<T>(read: () => T, isOfNow = false): T | undefined {
		const {reader} = this.#vm;
		const isStopTheWorld = this.#vm.collector === 'stop-the-world';
		// The clock of the sample tells as much as one of now, if it has not moved on when all is read.
		const before = this.#clockNow;
		if (isStopTheWorld && before === moving) {
			this.#haveMoved();
			return undefined;
		}

		try {
			this.#heap.isDoubtful = false;
			const {reads} = reader;
			const result = reader.withAhead(isOfNow ? undefined : this.#ahead, read);
			// What was read ahead is of the clock of the sample.
			if (isStopTheWorld && reader.reads !== reads && this.#clock.now() !== before) {
				this.#haveMoved();
				return undefined;
			}

			return isStopTheWorld || !this.#heap.isDoubtful ? result : undefined;
		} catch {
			return undefined;
		}
	}
}

function isWaiting(state: number): boolean {
	return state === stateCode.BLOCKED || state === stateCode.WAITING || state === stateCode.TIMED_WAITING;
}

/** What a thread was found to wait for, if it has not run since. */
function knownLock({lock, frames, state}: JavaThread): KnownLock | undefined {
	return lock?.frames === frames && lock.state === state ? lock : undefined;
}
