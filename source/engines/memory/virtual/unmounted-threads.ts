import process from 'node:process';
import {lockKindCode} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {moving, type Heap, type HeapClock} from '../hotspot/heap.js';
import {type Vm} from '../hotspot/vm.js';
import {type Locks} from '../locks/locks.js';
import {ifReadable} from '../target/reader.js';
import {type Continuations, type FrozenRead, type FrozenStack} from '../unwind/continuation.js';
import {type JavaThread} from '../threads/java-thread.js';
import {type ThreadObjects} from '../threads/thread-object.js';
import {ThreadContainers, type ContainerPlace} from './thread-containers.js';
import {type VirtualKind, type VirtualKinds} from './virtual-kinds.js';

/**
Time that reading may take, milliseconds: in a sample, in a second, and at the start of a session, when all threads are
new. And the least time from the start of a pass over all threads to the next.
*/
const sliceMs = 3;
const msPerSecond = 5;
const startMs = 400;
const passMs = 1000;

/** How often it is looked whether there are few enough threads again, milliseconds. */
const tooManyMs = 10_000;

/** Maximum number of groups; beyond it those of a kind are one, without a stack. */
const groupLimit = 1024;

/** State codes of virtual threads that are not mounted, by VirtualThread.state; the bit of a suspended one is left out. */
const states: ReadonlyMap<number, number> = new Map([
	[1, stateCode.RUNNABLE],
	[4, stateCode.WAITING],
	[7, stateCode.TIMED_WAITING],
	[9, stateCode.RUNNABLE],
	[11, stateCode.RUNNABLE],
	// From 24 on, for monitors.
	[13, stateCode.BLOCKED],
	[14, stateCode.RUNNABLE],
	[16, stateCode.WAITING],
	[18, stateCode.TIMED_WAITING],
]);
const suspended = 256;
const inObjectWait: ReadonlySet<number> = new Set([16, 18]);

/** What a virtual thread waits for; the holder is a platform thread or, by its id, a virtual one. */
type VirtualLock = {readonly kind: number; readonly className: number; readonly readers: number; readonly thread?: JavaThread; readonly virtualId: number};

const noLock: VirtualLock = {kind: lockKindCode.none, className: 0, readers: 0, virtualId: 0};

/** Virtual threads that are not mounted, of one kind, with the same stack and state, that wait for the same. */
class ThreadGroup {
	count = 0;
	/**
	Since when the thread that has been there longest was found there, epoch milliseconds, and whether that was in the
	first pass.
	*/
	sinceMs = Number.POSITIVE_INFINITY;
	isLonger = false;
	/** Its row in the newest sample. */
	row = -1;
	#shownCount = 0;
	#shownSinceMs = 0;
	#shownName = '';

	constructor(readonly key: number, public kind: VirtualKind, readonly state: number, readonly frames: Int32Array, readonly lock: VirtualLock) {}

	/** Whether its row in the sample before is still right. */
	isUnchanged(): boolean {
		return this.count === this.#shownCount && this.sinceMs === this.#shownSinceMs && this.kind.name === this.#shownName;
	}

	setShown(row: number): void {
		this.row = row;
		this.#shownCount = this.count;
		this.#shownSinceMs = this.sinceMs;
		this.#shownName = this.kind.name;
	}
}

/** A virtual thread, as last read. */
type Known = {group: ThreadGroup; stack: FrozenStack; state: number; chunk: number; checksum: number; clock: number; sinceMs: number; isLonger: boolean; pass: number};

type Found = {readonly id: number; readonly group?: ThreadGroup; readonly read?: FrozenRead; readonly state: number};

type Parts = {
	readonly heap: Heap; readonly objects: ThreadObjects; readonly clock: HeapClock; readonly continuations: Continuations; readonly kinds: VirtualKinds; readonly locks: Locks;
};

/**
Reads virtual threads that are not mounted, a slice of them in each sample, as long as its budget of time lasts. What was
read stands until the thread is read again.
*/
export class UnmountedThreads {
	/** Number of virtual threads at the start of the newest pass, and the share of them that was read, 0 to 100. */
	count = 0;
	seenPercent = 0;
	readonly #vm: Vm;
	readonly #parts: Parts;
	readonly #limit: number;
	readonly #containers: ThreadContainers;
	readonly #known = new Map<number, Known>();
	readonly #groups = new Map<string, ThreadGroup>();
	readonly #locks = new Map<number, VirtualLock>();
	#stateOffset = 0;
	#continuationOffset = 0;
	#place: ContainerPlace = {set: 0, bin: 0};
	#pass = 0;
	#isPassing = false;
	#passStartMs = Number.NEGATIVE_INFINITY;
	#listed = 0;
	#unread = 0;
	#isCut = false;
	#budgetMs = startMs;
	#budgetAtMs = Number.NaN;

	/** `limit`: more threads than that are not read. */
	constructor(vm: Vm, limit: number, parts: Parts) {
		this.#vm = vm;
		this.#parts = parts;
		this.#limit = limit;
		this.#containers = new ThreadContainers(vm, parts.heap);
	}

	get groups(): Iterable<ThreadGroup> {
		return this.#groups.values();
	}

	/** The group of a virtual thread, by its id. */
	groupOf(id: number): ThreadGroup | undefined {
		return this.#known.get(id)?.group;
	}

	/** Reads on. Never throws. */
	read(): void {
		const nowMs = performance.now();
		this.#budgetMs = Math.min(this.#budgetMs + ((nowMs - this.#budgetAtMs) * msPerSecond / 1000 || 0), Math.max(this.#budgetMs, 2 * sliceMs));
		this.#budgetAtMs = nowMs;
		if (this.#budgetMs < sliceMs / 2 || this.#limit === 0 || !this.#containers.isInUse() || (!this.#isPassing && nowMs - this.#passStartMs < (this.count > this.#limit ? tooManyMs : passMs))) {
			return;
		}

		const {reader} = this.#vm;
		const isStopTheWorld = this.#vm.collector === 'stop-the-world';
		const clock = this.#parts.clock.now();
		if (isStopTheWorld && clock === moving) {
			return;
		}

		const usage = process.cpuUsage();
		const place = {...this.#place};
		const found: Found[] = [];
		reader.forgetPages();
		const isWhole = ifReadable(() => reader.withPages(() => this.#readSlice(nowMs + Math.min(sliceMs, this.#budgetMs), found)), undefined);
		reader.forgetPages();
		this.#locks.clear();
		// On a busy host most of the time may be a wait for a CPU.
		const {user, system} = process.cpuUsage(usage);
		this.#budgetMs -= Math.min(performance.now() - nowMs, (user + system) / 1000);
		if (isStopTheWorld && this.#parts.clock.now() !== clock) {
			this.#place = place;
			return;
		}

		for (const one of found) {
			this.#apply(one, clock);
		}

		if (isWhole) {
			this.#endPass();
		} else if (this.#pass === 1 && this.#isPassing) {
			this.seenPercent = 100 * Math.min(1, this.#known.size / Math.max(1, this.count));
		}
	}

	/** Reads threads until the deadline. Returns whether these were the last; undefined if there are too many. */
	#readSlice(deadlineMs: number, found: Found[]): boolean | undefined {
		const maps = this.#containers.maps();
		if (!this.#isPassing && !this.#beginPass(maps)) {
			return undefined;
		}

		const place = this.#place;
		for (; place.set < maps.length; place.set++, place.bin = 0) {
			const isDue = ifReadable(() => {
				for (const {key, bin} of this.#containers.keys(maps[place.set], place.bin)) {
					if (bin !== place.bin && performance.now() > deadlineMs) {
						place.bin = bin;
						return true;
					}

					place.bin = bin;
					this.#listed++;
					const one = ifReadable(() => this.#readThread(key), undefined);
					if (one) {
						found.push(one);
					} else {
						this.#unread++;
					}
				}

				return false;
			}, undefined);
			if (isDue) {
				return false;
			}

			// The rest of a map that cannot be read is left to the next pass.
			this.#isCut ||= isDue === undefined;
		}

		return true;
	}

	#beginPass(maps: readonly number[]): boolean {
		this.count = 0;
		for (const map of maps) {
			this.count += Math.max(0, ifReadable(() => this.#containers.size(map), 0));
		}

		this.#passStartMs = performance.now();
		if (this.count > this.#limit) {
			this.#known.clear();
			this.#groups.clear();
			this.seenPercent = 0;
			return false;
		}

		const klass = this.#containers.virtualThreadKlass;
		this.#stateOffset = this.#parts.heap.inheritedOffset(klass, 'state', 'I');
		this.#continuationOffset = this.#parts.heap.inheritedOffset(klass, 'cont', 'Ljdk/internal/vm/Continuation;');
		this.#isPassing = true;
		this.#pass++;
		this.#place = {set: 0, bin: 0};
		this.#listed = 0;
		this.#unread = 0;
		this.#isCut = false;
		return true;
	}

	#endPass(): void {
		this.#isPassing = false;
		for (const group of this.#groups.values()) {
			group.sinceMs = Number.POSITIVE_INFINITY;
			group.isLonger = false;
		}

		for (const [id, known] of this.#known) {
			if (known.pass === this.#pass) {
				addSince(known);
			} else {
				this.#forget(id);
			}
		}

		for (const [key, {count}] of this.#groups) {
			if (count === 0) {
				this.#groups.delete(key);
			}
		}

		this.count = this.#isCut ? Math.max(this.#listed, this.count) : this.#listed;
		this.seenPercent = this.count === 0 ? 100 : 100 * (this.#listed - this.#unread) / this.count;
	}

	/** A thread and its group, none if it is mounted or has ended. Throws `Unreadable`. */
	#readThread(oop: number): Found | undefined {
		const {heap, objects, continuations, kinds} = this.#parts;
		const {reader} = this.#vm;
		if (heap.klassOf(oop) !== this.#containers.virtualThreadKlass) {
			return undefined;
		}

		const id = objects.idOf(oop);
		const raw = reader.u32(oop + this.#stateOffset) & ~suspended;
		const state = states.get(raw);
		if (state === undefined) {
			return {id, state: 0};
		}

		const read = continuations.frozen(heap.reference(oop + this.#continuationOffset));
		if (!read) {
			return undefined;
		}

		const lock = this.#lockOf(oop, raw, state);
		const known = this.#known.get(id);
		if (known?.stack === read.stack && known.state === state && isSameLock(known.group.lock, lock)) {
			return {id, group: known.group, read, state};
		}

		const kind = kinds.kindOf(read.stack.frames, objects.virtualIdentity(oop));
		return {id, group: this.#group(kind, state, read.stack, lock), read, state};
	}

	#lockOf(oop: number, raw: number, state: number): VirtualLock {
		if (state === stateCode.BLOCKED) {
			return {...noLock, kind: lockKindCode.monitor};
		}

		if (state === stateCode.RUNNABLE) {
			return noLock;
		}

		if (inObjectWait.has(raw)) {
			return {...noLock, kind: lockKindCode['monitor-wait']};
		}

		const blocker = this.#parts.objects.parkBlocker(oop);
		if (blocker === 0) {
			return noLock;
		}

		let lock = this.#locks.get(blocker);
		if (!lock) {
			const {className, owner, readers} = this.#parts.locks.parkedOn(blocker);
			const isVirtual = owner !== 0 && this.#parts.heap.klassOf(owner) === this.#containers.virtualThreadKlass;
			lock = {
				kind: lockKindCode.park, className, readers,
				thread: owner === 0 || isVirtual ? undefined : this.#parts.locks.threadOf(owner), virtualId: isVirtual ? this.#parts.objects.idOf(owner) : 0,
			};
			this.#locks.set(blocker, lock);
		}

		return lock;
	}

	#group(kind: VirtualKind, state: number, stack: FrozenStack, lock: VirtualLock): ThreadGroup {
		let key = `${kind.id} ${state} ${stack.id} ${lock.kind} ${lock.className} ${lock.thread?.address ?? lock.virtualId}`;
		let [{frames}, waitsFor] = [stack, lock];
		if (this.#groups.size >= groupLimit && !this.#groups.has(key)) {
			key = kind.id;
			frames = new Int32Array(0);
			waitsFor = noLock;
		}

		let group = this.#groups.get(key);
		if (!group) {
			group = new ThreadGroup(this.#parts.kinds.keyOf(`unmounted ${key}`), kind, state, frames, waitsFor);
			this.#groups.set(key, group);
		}

		// The name of a kind may become another.
		group.kind = kind;
		return group;
	}

	#apply({id, group, read, state}: Found, clock: number): void {
		if (!group || !read) {
			this.#forget(id);
			return;
		}

		const before = this.#known.get(id);
		const {stack, chunk, checksum} = read;
		// Without a collection between, a thread that has run left something else in its chunk.
		const isThere = before?.stack === stack && before.state === state && (clock === moving || clock !== before.clock || (before.chunk === chunk && before.checksum === checksum));
		const known: Known = {
			group, stack, state, chunk, checksum, clock, pass: this.#pass,
			sinceMs: isThere ? before.sinceMs : Date.now(), isLonger: isThere ? before.isLonger : this.#pass === 1,
		};
		if (before) {
			before.group.count--;
		}

		group.count++;
		this.#known.set(id, known);
		addSince(known);
	}

	#forget(id: number): void {
		const known = this.#known.get(id);
		if (known) {
			known.group.count--;
			this.#known.delete(id);
		}
	}
}

function addSince({group, sinceMs, isLonger}: Known): void {
	group.sinceMs = Math.min(group.sinceMs, sinceMs);
	group.isLonger ||= isLonger;
}

function isSameLock(one: VirtualLock, other: VirtualLock): boolean {
	return one.kind === other.kind && one.className === other.className && one.thread === other.thread && one.virtualId === other.virtualId;
}
