import process from 'node:process';
import {safe, type Printable} from '../../../util/printable.js';
import {getOrCreate} from '../../../util/get-or-create.js';
import {type EngineOptions} from '../../common/engine.js';
import {objectsMayMove} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type VirtualIdentity} from '../hotspot/thread-object.js';
import {type Locks} from '../locks/locks.js';
import {ifReadable} from '../target/memory-reader.js';
import {Continuations, type FrozenRead, type FrozenStack} from '../unwind/continuation.js';
import {type JavaThread} from '../threads/java-thread.js';
import {steadyNow} from '../../../util/steady-clock.js';
import {JdkObjects, type MapEntry} from './jdk-objects.js';
import {
	Pollers, pollerClasses, VirtualWaits, isSameWait, keyOfWait, noWait, unmountedState, type VirtualWait,
} from './virtual-waits.js';
import {ThreadContainers, containerClasses} from './thread-containers.js';
import {ThreadGroup, updateSince, type UnmountedThread, type VirtualKind, type VirtualKinds} from './virtual-kinds.js';

/**
Reading time: at most per sample, per second, and at the start of a session, when all threads are new. Long slices that
are rare read more than short ones: the first reads after a sleep are slow.
*/
const sliceMs = 20;
const msPerSecond = 5;
const startMs = 1000;

/** Shortest interval between the starts of two passes, each of which reads all threads. */
const passMs = 1000;

/** How often the number of threads is checked while there are too many. */
const tooManyMs = 10_000;

/** Beyond this, each kind has one more group, without a stack. */
const groupLimit = 1024;

/** The start of a pass: index of the source and its bin; threads listed so far, and those that were unreadable. */
const passStart = {source: 0, bin: 0, listed: 0, unreadable: 0};

/** Bounds on threads read at once from the scopes of a thread and those nested in them, and on nesting. */
const scopedLimit = 1024;
const scopeDepth = 16;

/** A thread as read in this slice; without `group` and `read` if it is mounted or has ended. */
type FoundThread = {
	readonly id: number;
	readonly name?: Printable;
	readonly group?: ThreadGroup;
	readonly read?: FrozenRead;
	readonly state: number;
};

type Parts = {readonly kinds: VirtualKinds; readonly locks: Locks; readonly fileWait: EngineOptions['fileWait']};

/** A set that a pass reads, bin by bin, and what it does with each entry. */
type Source = {readonly entries: (fromBin: number) => Iterable<MapEntry>; readonly handle: (entry: MapEntry) => void};

/**
Reads unmounted virtual threads, a slice of them per sample, within a time budget. A thread's values remain until it is
read again.
*/
export class UnmountedThreads {
	/** Number of virtual threads: as counted when a pass begins, as listed when it is complete. */
	count = 0;
	/** Percentage of them that was read. */
	readPercent = 0;
	readonly #jvm: Jvm;
	readonly #parts: Parts;
	readonly #continuations: Continuations;
	readonly #limit: number;
	readonly #jdk: JdkObjects;
	readonly #containers: ThreadContainers;
	readonly #pollers: Pollers;
	readonly #waits: VirtualWaits;
	readonly #threadById = new Map<number, UnmountedThread>();
	readonly #groups = new Map<string, ThreadGroup>();
	/** How far the pass is. */
	#progress = {...passStart};
	/** Count of collections at the start of this slice. */
	#collections = objectsMayMove;
	/** Number of threads that may still be read from the scopes of the same thread. */
	#scopedLeft = 0;
	/** Number of passes begun, and whether the last one is still under way. */
	#passes = 0;
	#isInPass = false;
	#passStartMs = Number.NEGATIVE_INFINITY;
	/** Part of a map could not be read in this pass. */
	#isIncomplete = false;
	/** Reading time left, as of `#budgetAtMs`. */
	#budgetMs = startMs;
	#budgetAtMs = Number.NaN;

	/** `limit`: maximum number of threads; if there are more, none is read. */
	constructor(jvm: Jvm, limit: number, parts: Parts) {
		this.#jvm = jvm;
		this.#parts = parts;
		this.#limit = limit;
		this.#continuations = new Continuations(jvm);
		this.#jdk = new JdkObjects(jvm, [...containerClasses, ...pollerClasses]);
		this.#containers = new ThreadContainers(this.#jdk);
		this.#pollers = new Pollers(this.#jdk);
		this.#waits = new VirtualWaits(jvm, {locks: parts.locks, fileWait: parts.fileWait, pollers: this.#pollers});
	}

	get groups(): Iterable<ThreadGroup> {
		return this.#groups.values();
	}

	groupOf(id: number): ThreadGroup | undefined {
		return this.#threadById.get(id)?.group;
	}

	/** Returns the thread of a group of one; undefined for other groups. */
	threadOf({count, idSum}: ThreadGroup): VirtualIdentity | undefined {
		const thread = count === 1 ? this.#threadById.get(idSum) : undefined;
		return thread && {id: idSum, name: thread.name};
	}

	/** Reads the next slice. `threads`: the platform threads, which may have opened scopes. Never throws. */
	read(threads: readonly JavaThread[]): void {
		const nowMs = performance.now();
		if (!this.#isSliceDue(nowMs)) {
			return;
		}

		const {reader} = this.#jvm.vm;
		const isStopTheWorld = this.#jvm.vm.collector === 'stop-the-world';
		this.#collections = this.#jvm.collections.count();
		if (isStopTheWorld && this.#collections === objectsMayMove) {
			return;
		}

		const usage = process.cpuUsage();
		const progress = {...this.#progress};
		const foundThreads: FoundThread[] = [];
		reader.forgetPages();
		const isWhole = ifReadable(
			() =>
				reader.withPages(() =>
					this.#readSlice(nowMs + Math.min(sliceMs, this.#budgetMs), threads, foundThreads)),
			undefined,
		);
		reader.forgetPages();
		// On a busy host most of the time may be a wait for a CPU.
		const {user, system} = process.cpuUsage(usage);
		this.#budgetMs -= Math.min(performance.now() - nowMs, (user + system) / 1000);
		if (isStopTheWorld && this.#jvm.collections.count() !== this.#collections) {
			this.#progress = progress;
			return;
		}

		for (const thread of foundThreads) {
			this.#apply(thread);
		}

		if (isWhole) {
			this.#endPass();
		} else if (this.#passes === 1 && this.#isInPass) {
			this.readPercent = 100 * Math.min(1, this.#threadById.size / Math.max(1, this.count));
		}
	}

	/** Adds to the budget the time since the last sample; returns whether to read now. */
	#isSliceDue(nowMs: number): boolean {
		const addedMs = (nowMs - this.#budgetAtMs) * msPerSecond / 1000 || 0;
		// At most two slices, unless more is left of the budget with which the session began.
		this.#budgetMs = Math.min(this.#budgetMs + addedMs, Math.max(this.#budgetMs, 2 * sliceMs));
		this.#budgetAtMs = nowMs;
		const pauseMs = this.count > this.#limit ? tooManyMs : passMs;
		return this.#budgetMs >= sliceMs / 2 && this.#containers.isInUse()
			&& (this.#isInPass || nowMs - this.#passStartMs >= pauseMs);
	}

	/** Reads until the deadline. Returns whether the pass is complete; undefined if there are too many threads. */
	#readSlice(deadlineMs: number, threads: readonly JavaThread[], foundThreads: FoundThread[]): boolean | undefined {
		const maps = this.#containers.maps();
		if (!this.#isInPass && !this.#beginPass(maps)) {
			return undefined;
		}

		const progress = this.#progress;
		const sources = this.#sources(maps, threads, foundThreads);
		for (; progress.source < sources.length; progress.source++, progress.bin = 0) {
			const {entries, handle} = sources[progress.source];
			const isTimeOver = ifReadable(() => {
				for (const entry of entries(progress.bin)) {
					const isNextBin = entry.bin !== progress.bin;
					progress.bin = entry.bin;
					if (isNextBin && performance.now() > deadlineMs) {
						return true;
					}

					this.#scopedLeft = scopedLimit;
					handle(entry);
				}

				return false;
			}, undefined);
			if (isTimeOver) {
				return false;
			}

			// The rest of a map that cannot be read is left to the next pass.
			this.#isIncomplete ||= isTimeOver === undefined;
		}

		return true;
	}

	/** Returns the sets of a pass, the pollers first: threads are looked up there. */
	#sources(maps: readonly number[], threads: readonly JavaThread[], foundThreads: FoundThread[]): Source[] {
		const pollers = this.#parts.fileWait ? ifReadable(() => this.#pollers.find(), []) : [];
		this.#pollers.maps = pollers;
		this.#waits.start();
		return [
			...pollers.map(({map}, index): Source => ({
				entries: from => this.#jdk.entries(map, from), handle: ({key, node}) => {
					this.#addFile(node, key, index);
				},
			})),
			{
				// Each platform thread is a bin, whose index is also its key.
				entries: from =>
					this.#containers.mayHaveScopes
						? threads.slice(from).map((_, index) => ({key: from + index, node: 0, bin: from + index}))
						: [],
				handle: ({key}) => {
					const {address, block} = threads[key];
					ifReadable(() => {
						this.#addScopes(this.#jvm.objects.objectOf(address, block.threadObject), foundThreads, 0);
					}, undefined);
				},
			},
			...maps.map((map): Source => ({
				entries: from => this.#jdk.entries(map, from), handle: ({key}) => {
					this.#addThread(key, foundThreads);
				},
			})),
		];
	}

	/** Adds an entry of a poller's map: the thread that waits for a file. */
	#addFile(node: number, key: number, poller: number): void {
		ifReadable(() => {
			const thread = this.#jdk.valueOfNode(node);
			if (this.#jvm.heap.klassOf(thread) === this.#containers.virtualThreadKlass) {
				this.#pollers.add(this.#jvm.objects.idOf(thread), key, poller);
			}
		}, undefined);
	}

	/** Reads the threads in the scopes that a thread has opened. `depth`: number of scopes that this thread is in. */
	#addScopes(thread: number, foundThreads: FoundThread[], depth: number): void {
		for (const map of this.#containers.scopesOf(thread)) {
			for (const {key} of this.#jdk.entries(map)) {
				this.#addThread(key, foundThreads, depth + 1);
			}
		}
	}

	/** Reads a thread, and those in scopes that it has opened. */
	#addThread(thread: number, foundThreads: FoundThread[], depth = 0): void {
		this.#progress.listed++;
		const foundThread = depth > 0 && this.#scopedLeft-- <= 0
			? undefined
			: ifReadable(() => this.#readThread(thread), undefined);
		if (!foundThread) {
			this.#progress.unreadable++;
			return;
		}

		foundThreads.push(foundThread);
		if (this.#containers.mayHaveScopes && depth < scopeDepth) {
			ifReadable(() => {
				this.#addScopes(thread, foundThreads, depth);
			}, undefined);
		}
	}

	/** Counts the threads; returns false if there are too many. */
	#beginPass(maps: readonly number[]): boolean {
		this.count = 0;
		for (const map of maps) {
			this.count += Math.max(0, ifReadable(() => this.#jdk.size(map), 0));
		}

		this.#passStartMs = performance.now();
		if (this.count > this.#limit) {
			this.#threadById.clear();
			this.#groups.clear();
			this.readPercent = 0;
			return false;
		}

		this.#isInPass = true;
		this.#passes++;
		this.#pollers.clear();
		this.#parts.locks.anonymousHolders.beginPass();
		this.#isIncomplete = false;
		return true;
	}

	#endPass(): void {
		this.#isInPass = false;
		for (const group of this.#groups.values()) {
			group.sinceMs = Number.POSITIVE_INFINITY;
			group.isUnmovedSinceStart = false;
		}

		for (const [id, thread] of this.#threadById) {
			if (thread.pass === this.#passes) {
				updateSince(thread);
			} else {
				this.#forget(id);
			}
		}

		for (const [key, {count}] of this.#groups) {
			if (count === 0) {
				this.#groups.delete(key);
			}
		}

		const {listed, unreadable} = this.#progress;
		this.count = this.#isIncomplete ? Math.max(listed, this.count) : listed;
		this.readPercent = this.count === 0 ? 100 : 100 * (listed - unreadable) / this.count;
		// Here and not when a pass begins: its first slice may have to be read again.
		this.#progress = {...passStart};
	}

	/** Returns a thread as read; undefined if that failed. Throws `Unreadable`. */
	#readThread(oop: number): FoundThread | undefined {
		const {heap, objects, vm: {reader}} = this.#jvm;
		const {kinds, locks} = this.#parts;
		const klass = heap.klassOf(oop);
		if (klass !== this.#containers.virtualThreadKlass) {
			return undefined;
		}

		const id = objects.idOf(oop);
		const virtualState = reader.u32(oop + heap.requiredOffset(klass, 'state', 'I'));
		const state = unmountedState(virtualState);
		if (state === undefined) {
			return {id, state: 0};
		}

		const read = this.#continuations.readFrozen(heap.reference(oop + heap.requiredOffset(klass, 'cont', 'Ljdk/internal/vm/Continuation;')));
		if (!read) {
			return undefined;
		}

		locks.anonymousHolders.addLocked(id, read.locked);
		const before = this.#threadById.get(id);
		const isAtSameStack = before?.frozen.stack === read.stack && before.state === state;
		const wait = this.#waits.of(oop, {
			id,
			virtualState,
			state,
			lastWait: isAtSameStack && this.#hasNotRun(before, read) ? before.group.wait : undefined,
		});
		if (isAtSameStack && isSameWait(before.group.wait, wait)) {
			return {id, name: before.name, group: before.group, read, state};
		}

		const identity = objects.virtualIdentity(oop);
		const kind = kinds.kindOf(read.stack.frames, identity);
		return {id, name: identity.name, group: this.#groupFor(kind, state, read.stack, wait), read, state};
	}

	/** Whether a thread is certain not to have run since it was last read: running changes its chunk. */
	#hasNotRun({collections, frozen}: UnmountedThread, read: FrozenRead): boolean {
		return this.#collections !== objectsMayMove && this.#collections === collections && read.chunk === frozen.chunk
			&& read.checksum === frozen.checksum;
	}

	#groupFor(kind: VirtualKind, state: number, stack: FrozenStack, wait: VirtualWait): ThreadGroup {
		let key = `${kind.id} ${state} ${stack.id} ${keyOfWait(wait)}`;
		let [{frames}, waitsFor] = [stack, wait];
		if (this.#groups.size >= groupLimit && !this.#groups.has(key)) {
			key = kind.id;
			frames = new Int32Array(0);
			waitsFor = noWait;
		}

		const group = getOrCreate(
			this.#groups,
			key,
			() => new ThreadGroup(this.#parts.kinds.keyOf(`unmounted ${key}`), kind, state, frames, waitsFor),
		);
		// A kind's name may change.
		group.kind = kind;
		return group;
	}

	/** Takes over what was read of a thread. */
	#apply({id, name = safe``, group, read, state}: FoundThread): void {
		if (!group || !read) {
			this.#forget(id);
			return;
		}

		const before = this.#threadById.get(id);
		// After a collection the chunk is elsewhere, so only the frames tell.
		const hasStayed = before?.frozen.stack === read.stack && before.state === state
			&& (this.#collections === objectsMayMove || this.#collections !== before.collections
				|| this.#hasNotRun(before, read));
		const thread: UnmountedThread = {
			group, name, state, frozen: read, collections: this.#collections, pass: this.#passes,
			sinceMs: hasStayed ? before.sinceMs : steadyNow(),
			isUnmovedSinceStart: hasStayed ? before.isUnmovedSinceStart : this.#passes === 1,
		};
		this.#forget(id);
		group.add(id);
		this.#threadById.set(id, thread);
		updateSince(thread);
	}

	#forget(id: number): void {
		this.#threadById.get(id)?.group.remove(id);
		this.#threadById.delete(id);
	}
}
