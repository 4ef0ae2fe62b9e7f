import process from 'node:process';
import {getOrCreate} from '../../../model/get-or-create.js';
import {type EngineOptions} from '../../common/engine.js';
import {moving} from '../hotspot/heap.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type Locks} from '../locks/locks.js';
import {ifReadable} from '../target/reader.js';
import {Continuations, type FrozenRead, type FrozenStack} from '../unwind/continuation.js';
import {type JavaThread} from '../threads/java-thread.js';
import {JdkObjects, type MapEntry} from './jdk-objects.js';
import {
	Pollers, pollerClasses, VirtualWaits, isSameWait, keyOfWait, noWait, unmountedState, type VirtualWait,
} from './virtual-waits.js';
import {ThreadContainers, containerClasses} from './thread-containers.js';
import {ThreadGroup, addSince, type KnownThread, type VirtualKind, type VirtualKinds} from './virtual-kinds.js';

/**
Reading time: at most per sample, per second, and at the start of a session, when all threads are new. A pass over all
threads begins at most every `passMs`.
*/
const sliceMs = 3;
const msPerSecond = 5;
const startMs = 400;
const passMs = 1000;

/** How often the number of threads is checked while there are too many. */
const tooManyMs = 10_000;

/** Beyond this, each kind has one more group, without a stack. */
const groupLimit = 1024;

const passStart = {source: 0, bin: 0, listed: 0, unreadable: 0};

/** Bounds on threads read at once from the scopes of a thread and those nested in them, and on nesting. */
const scopedLimit = 1024;
const scopeDepth = 16;

type FoundThread = {readonly id: number; readonly name?: string; readonly group?: ThreadGroup; readonly read?: FrozenRead; readonly state: number};

type Parts = {readonly kinds: VirtualKinds; readonly locks: Locks; readonly fileWait: EngineOptions['fileWait']};

/** A set that a pass reads, and what it does with each entry. */
type Source = {readonly entries: (fromBin: number) => Iterable<MapEntry>; readonly take: (entry: MapEntry) => void};

/**
Reads unmounted virtual threads, a slice of them per sample, within a time budget. A thread's values remain until it is
read again.
*/
export class UnmountedThreads {
	/** Virtual threads at the start of the newest pass. */
	count = 0;
	/** Percentage of them that was read. */
	seenPercent = 0;
	readonly #jvm: Jvm;
	readonly #parts: Parts;
	readonly #continuations: Continuations;
	readonly #limit: number;
	readonly #jdk: JdkObjects;
	readonly #containers: ThreadContainers;
	readonly #pollers: Pollers;
	readonly #waits: VirtualWaits;
	readonly #known = new Map<number, KnownThread>();
	readonly #groups = new Map<string, ThreadGroup>();
	/** Where the pass continues: source and bin; threads listed so far, and those that were unreadable. */
	#place = {...passStart};
	#clock = moving;
	#scopedLeft = 0;
	#pass = 0;
	#isPassing = false;
	#passStartMs = Number.NEGATIVE_INFINITY;
	#isIncomplete = false;
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
		return this.#known.get(id)?.group;
	}

	/** Returns the thread of a group of one; undefined for other groups. */
	threadOf({count, idSum}: ThreadGroup): {readonly id: number; readonly name: string} | undefined {
		const known = count === 1 ? this.#known.get(idSum) : undefined;
		return known && {id: idSum, name: known.name};
	}

	/** Reads the next slice. `threads`: the platform threads, which may have opened scopes. Never throws. */
	read(threads: readonly JavaThread[]): void {
		const nowMs = performance.now();
		this.#budgetMs = Math.min(this.#budgetMs + ((nowMs - this.#budgetAtMs) * msPerSecond / 1000 || 0), Math.max(this.#budgetMs, 2 * sliceMs));
		this.#budgetAtMs = nowMs;
		if (this.#budgetMs < sliceMs / 2 || this.#limit === 0 || !this.#containers.isInUse() || (!this.#isPassing && nowMs - this.#passStartMs < (this.count > this.#limit ? tooManyMs : passMs))) {
			return;
		}

		const {reader} = this.#jvm.vm;
		const isStopTheWorld = this.#jvm.vm.collector === 'stop-the-world';
		this.#clock = this.#jvm.clock.now();
		if (isStopTheWorld && this.#clock === moving) {
			return;
		}

		const usage = process.cpuUsage();
		const place = {...this.#place};
		const foundThreads: FoundThread[] = [];
		reader.forgetPages();
		const isWhole = ifReadable(() => reader.withPages(() => this.#readSlice(nowMs + Math.min(sliceMs, this.#budgetMs), threads, foundThreads)), undefined);
		reader.forgetPages();
		// On a busy host most of the time may be a wait for a CPU.
		const {user, system} = process.cpuUsage(usage);
		this.#budgetMs -= Math.min(performance.now() - nowMs, (user + system) / 1000);
		if (isStopTheWorld && this.#jvm.clock.now() !== this.#clock) {
			this.#place = place;
			return;
		}

		for (const one of foundThreads) {
			this.#apply(one);
		}

		if (isWhole) {
			this.#endPass();
		} else if (this.#pass === 1 && this.#isPassing) {
			this.seenPercent = 100 * Math.min(1, this.#known.size / Math.max(1, this.count));
		}
	}

	/** Reads until the deadline. Returns whether the pass is complete; undefined if there are too many threads. */
	#readSlice(deadlineMs: number, threads: readonly JavaThread[], foundThreads: FoundThread[]): boolean | undefined {
		const maps = this.#containers.maps();
		if (!this.#isPassing && !this.#beginPass(maps)) {
			return undefined;
		}

		const place = this.#place;
		const sources = this.#sources(maps, threads, foundThreads);
		for (; place.source < sources.length; place.source++, place.bin = 0) {
			const {entries, take} = sources[place.source];
			const isTimeOver = ifReadable(() => {
				for (const entry of entries(place.bin)) {
					if (entry.bin !== place.bin && performance.now() > deadlineMs) {
						place.bin = entry.bin;
						return true;
					}

					place.bin = entry.bin;
					this.#scopedLeft = scopedLimit;
					take(entry);
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
				entries: from => this.#jdk.entries(map, from), take: ({key, node}) => {
					this.#addFile(node, key, index);
				},
			})),
			{
				entries: from => this.#containers.mayHaveScopes ? threads.slice(from).map((_, index) => ({key: from + index, node: 0, bin: from + index})) : [], take: ({key}) => {
					this.#listScopesOf(threads[key], foundThreads);
				},
			},
			...maps.map((map): Source => ({
				entries: from => this.#jdk.entries(map, from), take: ({key}) => {
					this.#list(key, foundThreads);
				},
			})),
		];
	}

	#addFile(node: number, key: number, poller: number): void {
		ifReadable(() => {
			const thread = this.#jdk.valueOfNode(node);
			if (this.#jvm.heap.klassOf(thread) === this.#containers.virtualThreadKlass) {
				this.#pollers.add(this.#jvm.objects.idOf(thread), key, poller);
			}
		}, undefined);
	}

	#listScopesOf({address, block}: JavaThread, foundThreads: FoundThread[]): void {
		ifReadable(() => {
			this.#listScopes(this.#jvm.objects.objectOf(address, block.threadObject), foundThreads, 0);
		}, undefined);
	}

	#listScopes(thread: number, foundThreads: FoundThread[], depth: number): void {
		for (const map of this.#containers.scopesOf(thread)) {
			for (const {key} of this.#jdk.entries(map)) {
				this.#list(key, foundThreads, depth + 1);
			}
		}
	}

	/** Reads a thread, and those in scopes that it has opened. */
	#list(thread: number, foundThreads: FoundThread[], depth = 0): void {
		this.#place.listed++;
		const one = depth > 0 && this.#scopedLeft-- <= 0 ? undefined : ifReadable(() => this.#readThread(thread), undefined);
		if (!one) {
			this.#place.unreadable++;
			return;
		}

		foundThreads.push(one);
		if (this.#containers.mayHaveScopes && depth < scopeDepth) {
			ifReadable(() => {
				this.#listScopes(thread, foundThreads, depth);
			}, undefined);
		}
	}

	#beginPass(maps: readonly number[]): boolean {
		this.count = 0;
		for (const map of maps) {
			this.count += Math.max(0, ifReadable(() => this.#jdk.size(map), 0));
		}

		this.#passStartMs = performance.now();
		if (this.count > this.#limit) {
			this.#known.clear();
			this.#groups.clear();
			this.seenPercent = 0;
			return false;
		}

		this.#isPassing = true;
		this.#pass++;
		this.#pollers.clear();
		this.#parts.locks.anonymous.beginPass();
		this.#isIncomplete = false;
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

		const {listed, unreadable} = this.#place;
		this.count = this.#isIncomplete ? Math.max(listed, this.count) : listed;
		this.seenPercent = this.count === 0 ? 100 : 100 * (listed - unreadable) / this.count;
		// Here and not when a pass begins: its first slice may have to be read again.
		this.#place = {...passStart};
	}

	/** Returns a thread and its group; no group if it is mounted or has ended. Throws `Unreadable`. */
	#readThread(oop: number): FoundThread | undefined {
		const {heap, objects, vm: {reader}} = this.#jvm;
		const {kinds, locks} = this.#parts;
		const klass = heap.klassOf(oop);
		if (klass !== this.#containers.virtualThreadKlass) {
			return undefined;
		}

		const id = objects.idOf(oop);
		const raw = reader.u32(oop + heap.requiredOffset(klass, 'state', 'I'));
		const state = unmountedState(raw);
		if (state === undefined) {
			return {id, state: 0};
		}

		const read = this.#continuations.frozen(heap.reference(oop + heap.requiredOffset(klass, 'cont', 'Ljdk/internal/vm/Continuation;')));
		if (!read) {
			return undefined;
		}

		locks.anonymous.addLocked(id, read.locked);
		const known = this.#known.get(id);
		const isAtSameStack = known?.stack === read.stack && known.state === state;
		const wait = this.#waits.of(oop, {
			id, raw, state, known: isAtSameStack && this.#hasNotRun(known, read) ? known.group.wait : undefined,
		});
		if (isAtSameStack && isSameWait(known.group.wait, wait)) {
			return {id, name: known.name, group: known.group, read, state};
		}

		const identity = objects.virtualIdentity(oop);
		const kind = kinds.kindOf(read.stack.frames, identity);
		return {id, name: identity.name, group: this.#group(kind, state, read.stack, wait), read, state};
	}

	/** Whether a thread is known not to have run: running changes its chunk. */
	#hasNotRun({clock, chunk, checksum}: KnownThread, read: FrozenRead): boolean {
		return this.#clock !== moving && this.#clock === clock && read.chunk === chunk && read.checksum === checksum;
	}

	#group(kind: VirtualKind, state: number, stack: FrozenStack, wait: VirtualWait): ThreadGroup {
		let key = `${kind.id} ${state} ${stack.id} ${keyOfWait(wait)}`;
		let [{frames}, waitsFor] = [stack, wait];
		if (this.#groups.size >= groupLimit && !this.#groups.has(key)) {
			key = kind.id;
			frames = new Int32Array(0);
			waitsFor = noWait;
		}

		const group = getOrCreate(this.#groups, key, () => new ThreadGroup(this.#parts.kinds.keyOf(`unmounted ${key}`), kind, state, frames, waitsFor));
		// A kind's name may change.
		group.kind = kind;
		return group;
	}

	#apply({id, name = '', group, read, state}: FoundThread): void {
		if (!group || !read) {
			this.#forget(id);
			return;
		}

		const before = this.#known.get(id);
		// After a collection the chunk is elsewhere.
		const hasStayed = before?.stack === read.stack && before.state === state && (this.#clock === moving || this.#clock !== before.clock || this.#hasNotRun(before, read));
		const known: KnownThread = {
			group, name, stack: read.stack, state, chunk: read.chunk, checksum: read.checksum, clock: this.#clock, pass: this.#pass,
			sinceMs: hasStayed ? before.sinceMs : Date.now(), isLonger: hasStayed ? before.isLonger : this.#pass === 1,
		};
		if (before) {
			before.group.remove(id);
		}

		group.add(id);
		this.#known.set(id, known);
		addSince(known);
	}

	#forget(id: number): void {
		const known = this.#known.get(id);
		if (known) {
			known.group.remove(id);
			this.#known.delete(id);
		}
	}
}
