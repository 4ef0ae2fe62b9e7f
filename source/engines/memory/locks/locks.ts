import {normalClassName} from '../../../model/class-name.js';
import {bounded} from '../../../util/get-or-create.js';
import {lockKindCode, type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {objectsMayMove} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {has} from '../hotspot/layout.js';
import {isAligned} from '../target/memory.js';
import {klassSymbol, symbolName} from '../hotspot/methods.js';
import {noLock, notWaiting, type Holder, type JavaThread, type Lock, type ReadLock} from '../threads/java-thread.js';
import {waitKind} from '../threads/derived-state.js';
import {ifReadable} from '../target/memory-reader.js';
import {AnonymousHolders} from './anonymous-holders.js';
import {ClassInitializers} from './class-initializers.js';
import {MonitorObjects} from './monitor-objects.js';
import {TakenAt} from './taken-at.js';

const threadSignature = 'Ljava/lang/Thread;';

/** ObjectMonitor::ANONYMOUS_OWNER (21 and later): not the holder but another thread made the monitor. */
const anonymousOwner = 1;

/** LockStack::CAPACITY. */
const lockStackLimit = 8;

/** First release in which a monitor refers to its object by a weak handle (JDK-8247281) instead of its address. */
const weakHandles = 16;

const cachedClassNamesLimit = 4096;

/** By class: the string id of its name, and the Symbol for which it is valid. */
type ClassIds = Map<number, {readonly symbol: number; readonly id: number}>;

/**
Finds out what threads wait for, and who holds it: monitors, synchronizers of java.util.concurrent, and classes that are
being initialized.
*/
export class Locks {
	/** Holders of monitors whose owner is anonymous and no platform thread. */
	readonly anonymousHolders = new AnonymousHolders(monitor => this.#monitorObject(monitor));
	readonly #jvm: Jvm;
	readonly #takenAt: TakenAt;
	readonly #initializers: ClassInitializers;
	readonly #monitors: MonitorObjects;
	readonly #classIds: ClassIds = new Map();
	/** As `#classIds`, for locks that are Class objects: the names end with `.class`. */
	readonly #classObjectIds: ClassIds = new Map();
	#threads: readonly JavaThread[] = [];
	/** Count of collections at which this sample's cached pages were read; undefined if there are none. */
	#sampleCollections: number | undefined;
	/** The sample's threads, by address and by owner id; built when needed. */
	#byAddress: Map<number, JavaThread> | undefined;
	#byOwnerId: Map<number, JavaThread> | undefined;

	constructor(jvm: Jvm) {
		this.#jvm = jvm;
		this.#takenAt = new TakenAt(jvm);
		this.#initializers = new ClassInitializers(jvm);
		this.#monitors = new MonitorObjects(jvm);
	}

	/** Begins a sample with these threads, the possible owners. */
	start(threads: readonly JavaThread[]): void {
		this.#threads = threads;
		this.#forgetAddresses();
		this.#byAddress = undefined;
		this.#byOwnerId = undefined;
		this.#takenAt.start();
		this.#initializers.start();
		this.#monitors.start(threads);
	}

	/**
	Sets the holder in a thread's row, and the frame in which the holder took the lock (none for synchronizers: lock()
	has returned). A thread that holds its own lock has just got it, unless it wants to write what it holds for reading.
	`rowOf`: the row of a holder, -1 if it is in none.
	*/
	fillHolder(into: Sample, waiting: JavaThread, rowOf: (holder: Holder) => number): void {
		const {row: {index: row}, lock: {last: lock}, block: {pendingMonitor}} = waiting;
		const {thread, readers = 0} = lock?.holder ?? {};
		const owner = lock?.holder ? rowOf(lock.holder) : -1;
		const hasHolder = owner !== row || readers > 0;
		into.lockReaders[row] = readers;
		into.lockOwner[row] = hasHolder ? owner : -1;
		into.lockOwnerFrame[row] = hasHolder && owner >= 0 && lock && thread
			? this.#frameOf(lock, thread, pendingMonitor)
			: 0;
	}

	/** Sets what a thread waits for, once its shown state is known. Never throws. */
	update(thread: JavaThread): void {
		thread.lock.setLock(this.#lockOf(thread));
	}

	/** Returns what a thread is parked on. Objects must not move meanwhile. Throws `Unreadable`. */
	parkedOn(blocker: number): Lock {
		const isOwnable = has(this.#ownerOffset(blocker));
		const holder = isOwnable ? this.#holderOfSynchronizer(blocker) : undefined;
		return {kind: lockKindCode.park, className: this.#classIdOf(blocker), holder};
	}

	/** Returns the lock of a thread that wants to enter a monitor, or waits in Object.wait. Throws `Unreadable`. */
	ofMonitor(monitor: number, kind: 'monitor' | 'monitor-wait'): Lock {
		const holder = kind === 'monitor' ? this.#monitorHolder(monitor) : undefined;
		return {kind: lockKindCode[kind], className: this.#classIdOf(this.#monitorObject(monitor)), holder};
	}

	/** Returns what a thread waits for; undefined if it must be read again. */
	#lockOf(thread: JavaThread): ReadLock | undefined {
		const {description: {state}, lock, stack: {frames}} = thread;
		const isStalled = !isWaiting(state) && thread.state.code === stateCode.BLOCKED;
		if (!isStalled && !isWaiting(state)) {
			return notWaiting;
		}

		// A thread that has not run waits for the same lock, but the lock's owner and address in the heap may have
		// changed.
		const last = lock.last?.frames === frames && lock.last.state === state ? lock.last : undefined;
		const same = last && this.#readAgain(last);
		if (same) {
			return same;
		}

		const next = (isStalled ? this.#initializer(thread) : this.#find(thread)) ?? (last && withSureHolder(last));
		return next && {...next, frames, state, collections: this.#collectionsNow, holderFrames: framesOfHolder(next)};
	}

	/** Returns the lock with its present holder; undefined if it must be found again. */
	#readAgain(last: ReadLock): ReadLock | undefined {
		// A lock that was unreadable because objects moved is read again.
		if (last.kind !== lockKindCode.none && last.className === 0) {
			return undefined;
		}

		const isCollecting = this.#collectionsNow === objectsMayMove && this.#jvm.vm.collector === 'stop-the-world';
		if (last.readHolder === undefined || isCollecting) {
			return last;
		}

		return this.#isInPlace(last) ? {...last, holder: last.readHolder()} : undefined;
	}

	/** Returns the frame in which a holder took a lock, a monitor or a class initializer; 0 if unknown. */
	#frameOf({kind, className}: Lock, holder: JavaThread, monitor: number): number {
		if (kind === lockKindCode['class-init']) {
			return this.#initializers.frameOf(holder, className);
		}

		const objectOf = () => this.#whileUnmoved(() => this.#monitorObject(monitor), {usesPages: false});
		const isObject = (address: number) => this.#monitors.isObjectOf(address, monitor);
		const isMonitor = kind === lockKindCode.monitor && monitor !== 0;
		return isMonitor ? this.#takenAt.frameOf(holder, monitor, {objectOf, isObject}) : 0;
	}

	/** Whether a lock's address is still valid; monitors and classes do not move. */
	#isInPlace({kind, collections}: ReadLock): boolean {
		return kind === lockKindCode.monitor || kind === lockKindCode['class-init']
			|| (collections === this.#collectionsNow && collections !== objectsMayMove);
	}

	/** Discards data that is valid only while objects do not move. */
	#forgetAddresses(): void {
		this.#sampleCollections = undefined;
		this.#jvm.vm.reader.forgetPages();
	}

	get #collectionsNow(): number {
		this.#sampleCollections ??= this.#jvm.collections.count();
		return this.#sampleCollections;
	}

	#threadAt(address: number): JavaThread | undefined {
		this.#byAddress ??= new Map(this.#threads.map(thread => [thread.address, thread]));
		return this.#byAddress.get(address);
	}

	#threadOfOwnerId(id: number): JavaThread | undefined {
		this.#byOwnerId ??= new Map(this.#threads.map(thread => [thread.block.monitorOwnerId, thread]));
		return this.#byOwnerId.get(id);
	}

	/** Returns the class whose initializer a stalled thread waits for; undefined if it must be searched again. */
	#initializer(thread: JavaThread): Lock | undefined {
		return this.#initializers.lockOf(thread, address => this.#threadAt(address), klass => this.#classId(klass));
	}

	/** Returns what a thread waits for, by its state; undefined if objects are moving. */
	#find(thread: JavaThread): Lock | undefined {
		const {block: {pendingMonitor, waitingMonitor}, description: {state}} = thread;
		if (state === stateCode.BLOCKED) {
			const readHolder = () => this.#monitorHolder(pendingMonitor);
			return pendingMonitor === 0
				? noLock
				: {
					kind: lockKindCode.monitor,
					className: this.#monitorClass(pendingMonitor),
					holder: readHolder(),
					readHolder,
				};
		}

		const kind = waitKind(thread, this.#jvm.methods);
		if (kind === 'wait') {
			return {
				kind: lockKindCode['monitor-wait'],
				className: waitingMonitor === 0 ? 0 : this.#monitorClass(waitingMonitor),
			};
		}

		return kind === 'park' ? this.#parkLock(thread) : noLock;
	}

	#monitorObject(monitor: number): number {
		const {reader, layout: {fields}, release} = this.#jvm.vm;
		const object = reader.word(monitor + fields.monitorObject);
		return release >= weakHandles ? this.#jvm.heap.wideReference(object) : object;
	}

	/** Returns the string id of the class of a monitor's object; 0 if unknown because objects are moving. */
	#monitorClass(monitor: number): number {
		return this.#monitors.classOf(monitor, () => {
			const className = this.#whileUnmoved(() => this.#classIdOf(this.#monitorObject(monitor)));
			return className ?? this.#confirmedClass(monitor);
		});
	}

	/** As `#monitorClass`, of an object that may have moved, but whose header has the monitor. */
	#confirmedClass(monitor: number): number {
		const address = this.#monitors.confirmed(monitor, () => this.#monitorObject(monitor));
		const className = address === 0 ? 0 : ifReadable(() => this.#classIdOf(address), 0);
		return this.#monitors.isObjectOf(address, monitor) ? className : 0;
	}

	/**
	Up to 23 the owner is a JavaThread or, for an inflated stack lock, an address in its stack; since 24 it is the
	owner's id (JDK-8338383), which may be a virtual thread's that is not mounted. Small numbers mean "unknown".
	*/
	#monitorHolder(monitor: number): Holder | undefined {
		const {reader, layout: {fields}} = this.#jvm.vm;
		return ifReadable(() => {
			const owner = reader.withPages(() => reader.word(monitor + fields.monitorOwner));
			if (owner === anonymousOwner && has(fields.lockStack)) {
				const thread = this.#anonymousHolder(monitor);
				return {thread, virtualId: thread ? undefined : this.anonymousHolders.virtualIdOf(monitor)};
			}

			this.#monitors.forgetHolder(monitor);
			this.anonymousHolders.delete(monitor);
			if (has(fields.monitorOwnerId)) {
				return {thread: this.#threadOfOwnerId(owner), virtualId: owner};
			}

			return isAligned(owner)
				? {
					thread: this.#threadAt(owner) ?? this.#threads.find(({block: {stackBase, stackSize}}) =>
						owner < stackBase && owner >= stackBase - stackSize),
				}
				: undefined;
		}, undefined);
	}

	/** Returns the thread that locked a monitor's object before the monitor was made; undefined if unknown. */
	#anonymousHolder(monitor: number): JavaThread | undefined {
		const holder = this.#monitors.anonymousHolder(monitor, () => {
			const object = this.#whileUnmoved(() => this.#monitorObject(monitor));
			return this.#lockStackHolder(address => address === object || this.#monitors.isObjectOf(address, monitor));
		});
		return holder && this.#threadAt(holder.address);
	}

	/** Returns the thread whose lock stack (the objects that it has locked without a monitor) has such an object. */
	#lockStackHolder(isObject: (address: number) => boolean): JavaThread | undefined {
		const {reader, layout: {fields}} = this.#jvm.vm;
		return this.#threads.find(({address}) => {
			// `_top` is an offset in the JavaThread.
			const base = fields.lockStack + fields.lockStackBase;
			const count = (reader.u32(address + fields.lockStack + fields.lockStackTop) - base) / 8;
			const length = count > 0 && count <= lockStackLimit ? count : 0;
			const slots = Array.from({length}, (_, index) => address + base + (8 * index));
			return slots.some(slot => isObject(this.#jvm.heap.uncolouredReference(slot)));
		});
	}

	#parkLock(thread: JavaThread): Lock | undefined {
		return this.#whileUnmoved<Lock>(() => {
			const {heap, objects} = this.#jvm;
			// A virtual thread that is pinned parks with its carrier, but the blocker is its own.
			const blocker = objects.parkBlocker(thread.stack.hasVirtualThread
				? heap.wideReference(thread.block.virtualThread)
				: objects.objectOf(thread.address, thread.block.threadObject));
			if (blocker === 0) {
				return noLock;
			}

			const readHolder = has(this.#ownerOffset(blocker))
				? () => this.#whileUnmoved(() => this.#holderOfSynchronizer(blocker))
				: undefined;
			return {kind: lockKindCode.park, className: this.#classIdOf(blocker), holder: readHolder?.(), readHolder};
		});
	}

	/** Returns the offset of an object's owner; NaN if it is no synchronizer that can have one. Throws `Unreadable`. */
	#ownerOffset(synchronizer: number): number {
		const {heap} = this.#jvm;
		return heap.fieldOffset(heap.klassOf(synchronizer), 'exclusiveOwnerThread', threadSignature);
	}

	/**
	Returns the thread in AbstractOwnableSynchronizer.exclusiveOwnerThread. If a ReentrantReadWriteLock is held for
	reading, returns the number of holds and the thread in firstReader, null once that has unlocked; other readers are
	recorded only in their own threads. Throws `Unreadable`.
	*/
	#holderOfSynchronizer(synchronizer: number): Holder {
		const {heap, objects} = this.#jvm;
		const firstReader = heap.fieldOffset(heap.klassOf(synchronizer), 'firstReader', threadSignature);
		let oop = heap.reference(synchronizer + this.#ownerOffset(synchronizer));
		let readers: number | undefined;
		if (oop === 0 && has(firstReader)) {
			readers = this.#readHolds(synchronizer);
			oop = readers === undefined ? 0 : heap.reference(synchronizer + firstReader);
		}

		if (oop === 0) {
			return {readers};
		}

		const address = objects.javaThreadOf(oop);
		if (address !== 0) {
			return {thread: this.#threadAt(address), readers};
		}

		// Virtual threads, and those that have ended, have no JavaThread of their own.
		const ended = ifReadable(() => objects.identity(oop), undefined);
		return ended ? {ended, readers} : {virtualId: objects.idOf(oop), readers};
	}

	/** Returns how often a ReentrantReadWriteLock is held for reading: the upper half of its state, a long since 25. */
	#readHolds(synchronizer: number): number | undefined {
		const {heap} = this.#jvm;
		const {reader} = this.#jvm.vm;
		const klass = heap.klassOf(synchronizer);
		const state = heap.fieldOffset(klass, 'state', 'I');
		const holds = has(state)
			? reader.u32(synchronizer + state) >>> 16
			: reader.u32(synchronizer + heap.requiredOffset(klass, 'state', 'J') + 4);
		return holds === 0 ? undefined : holds;
	}

	/** Returns the string id of an object's class; of a Class object, that of what it represents: `Foo.class`. */
	#classIdOf(oop: number): number {
		const {heap, interner, vm: {reader, layout: {fields}}} = this.#jvm;
		const id = this.#classId(heap.klassOf(oop));
		if (id !== interner.internString('java.lang.Class') || !has(fields.mirrorKlass)) {
			return id;
		}

		// The Class objects of primitive types represent no class.
		const klass = reader.word(oop + reader.u32(fields.mirrorKlass));
		return klass === 0 ? id : this.#classId(klass, this.#classObjectIds, '.class');
	}

	/** Returns the string id of a class's name and a suffix; `ids` has those that are known. */
	#classId(klass: number, ids = this.#classIds, suffix = ''): number {
		const symbol = klassSymbol(this.#jvm.vm, klass);
		const cached = ids.get(klass);
		if (cached?.symbol === symbol) {
			return cached.id;
		}

		const id = this.#jvm.interner.internString(normalClassName(symbolName(this.#jvm.vm, symbol)) + suffix);
		bounded(ids, cachedClassNamesLimit).set(klass, {symbol, id});
		return id;
	}

	/**
	Returns what `read` reads from the heap; undefined if objects may have moved. `usesPages`: cached pages will do.
	*/
	#whileUnmoved<T>(read: () => T, {usesPages = true}: {readonly usesPages?: boolean} = {}): T | undefined {
		const {reader} = this.#jvm.vm;
		const isStopTheWorld = this.#jvm.vm.collector === 'stop-the-world';
		// The sample's count will do if it is unchanged after the read.
		const before = this.#collectionsNow;
		if (isStopTheWorld && before === objectsMayMove) {
			this.#forgetAddresses();
			return undefined;
		}

		try {
			this.#jvm.heap.hasReadStalePointer = false;
			const {reads} = reader;
			const result = isStopTheWorld && usesPages ? reader.withPages(read) : read();
			// Without a new read, all values are from cached pages, which were read at that count.
			if (isStopTheWorld && reader.reads !== reads && this.#jvm.collections.count() !== before) {
				this.#forgetAddresses();
				return undefined;
			}

			return isStopTheWorld || !this.#jvm.heap.hasReadStalePointer ? result : undefined;
		} catch {
			return undefined;
		}
	}
}

function framesOfHolder({holder}: Lock): Int32Array | undefined {
	return holder?.thread?.stack.frames;
}

/**
Returns a lock that cannot be read now, for a thread that still waits for it. It has the same holder if that has not
run, as only the holder releases it.
*/
function withSureHolder(last: ReadLock): Lock {
	const {holder, holderFrames} = last;
	return {...last, holder: holderFrames && holder?.thread?.stack.frames === holderFrames ? holder : undefined};
}

function isWaiting(state: number): boolean {
	return state === stateCode.BLOCKED || state === stateCode.WAITING || state === stateCode.TIMED_WAITING;
}
