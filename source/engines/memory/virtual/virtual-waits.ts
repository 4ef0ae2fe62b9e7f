import {getOrCreate} from '../../../util/get-or-create.js';
import {lockKindCode} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {type EngineOptions} from '../../common/engine.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type Locks} from '../locks/locks.js';
import {type Lock} from '../threads/java-thread.js';
import {isAligned} from '../target/memory.js';
import {ifReadable} from '../target/memory-reader.js';
import {type JdkObjects} from './jdk-objects.js';

/** What a virtual thread waits for: a lock, or a file, see `EngineOptions.fileWait`. `fd`: -1 for none. */
export type VirtualWait = Pick<Lock, 'kind' | 'className' | 'holder'> & {
	readonly fd: number;
	readonly fileKind: number;
	readonly filePeer: number;
};

/** The thread waits for nothing. */
export const noWait: VirtualWait = {kind: lockKindCode.none, className: 0, fd: -1, fileKind: 0, filePeer: 0};

/** State codes by VirtualThread.state, without `suspendedBit`. */
const states: ReadonlyMap<number, number> = new Map([
	[1, stateCode.RUNNABLE], // STARTED
	[4, stateCode.WAITING], // PARKED
	[7, stateCode.TIMED_WAITING], // TIMED_PARKED
	[9, stateCode.RUNNABLE], // UNPARKED
	[11, stateCode.RUNNABLE], // YIELDED
	[13, stateCode.BLOCKED], // BLOCKED, from 24 on, as the next three
	[14, stateCode.RUNNABLE], // UNBLOCKED
	[16, stateCode.WAITING], // WAIT
	[18, stateCode.TIMED_WAITING], // TIMED_WAIT
]);

/** Set in VirtualThread.state of suspended threads (up to 26). */
const suspendedBit = 256;

/** The states WAIT and TIMED_WAIT, in Object.wait. */
const inObjectWait: ReadonlySet<number> = new Set([16, 18]);

/** Words of an ObjectWaiter searched for its thread's handle; in 25 it is the fourth. */
const waiterWords = 6;

type Parts = {readonly locks: Locks; readonly pollers: Pollers; readonly fileWait: EngineOptions['fileWait']};

/**
Finds what unmounted virtual threads wait for: the object that a thread is parked on, the file in a poller, or the
monitor in the VM's ObjectWaiter.
*/
export class VirtualWaits {
	readonly #jvm: Jvm;
	readonly #parts: Parts;
	/** Locks read in this slice, by the object that threads are parked on. */
	readonly #locks = new Map<number, Lock>();
	/** Offsets of the VM's injected fields in java.lang.VirtualThread. */
	#injected: readonly number[] | undefined;

	constructor(jvm: Jvm, parts: Parts) {
		this.#jvm = jvm;
		this.#parts = parts;
	}

	/** Begins a slice: objects may have moved since the previous one. */
	start(): void {
		this.#locks.clear();
	}

	/**
	Returns what a thread waits for. `virtualState`: VirtualThread.state; `lastWait`: what it waited for before, if it
	has not run since. Throws `Unreadable`.
	*/
	of(
		thread: number,
		{id, virtualState, state, lastWait}: {
			readonly id: number;
			readonly virtualState: number;
			readonly state: number;
			readonly lastWait?: VirtualWait;
		},
	): VirtualWait {
		if (state === stateCode.RUNNABLE) {
			return noWait;
		}

		const isBlocked = state === stateCode.BLOCKED;
		if (isBlocked || inObjectWait.has(virtualState & ~suspendedBit)) {
			return {...noWait, ...this.#monitorLock(thread, isBlocked ? 'monitor' : 'monitor-wait')};
		}

		const blocker = this.#jvm.objects.parkBlocker(thread);
		return blocker === 0
			? this.#fileWait(thread, id, lastWait)
			: {...noWait, ...getOrCreate(this.#locks, blocker, () => this.#parts.locks.parkedOn(blocker))};
	}

	/** Returns the file in a poller that a thread without a blocker waits for. */
	#fileWait(thread: number, id: number, lastWait: VirtualWait | undefined): VirtualWait {
		const {pollers, fileWait} = this.#parts;
		const file = fileWait && pollers.fileOf(thread, id);
		if (!file || lastWait?.fd === file.fd) {
			return file && lastWait ? lastWait : noWait;
		}

		const {kind, peer} = fileWait(file.isRead ? 'read' : 'write', file.fd);
		return {...noWait, fd: file.fd, fileKind: kind, filePeer: peer};
	}

	#monitorLock(thread: number, kind: 'monitor' | 'monitor-wait'): Lock {
		const monitor = ifReadable(() => this.#monitorOf(thread), 0);
		const unknown: Lock = {kind: lockKindCode[kind], className: 0};
		return monitor === 0 ? unknown : ifReadable(() => this.#parts.locks.ofMonitor(monitor, kind), unknown);
	}

	/**
	Returns the monitor of a thread's ObjectWaiter (objectMonitor.hpp), the word after the thread's handle; 0 if not
	found. An injected field of the thread has the ObjectWaiter's address.
	*/
	#monitorOf(thread: number): number {
		const {heap, vm: {reader}} = this.#jvm;
		this.#injected ??= heap.injectedOffsets(heap.klassOf(thread));
		for (const offset of this.#injected) {
			const waiter = reader.word(thread + offset);
			for (let word = 1; isAligned(waiter) && word < waiterWords; word++) {
				const handle = reader.word(waiter + (8 * word));
				if (isAligned(handle) && ifReadable(() => heap.wideReference(handle), 0) === thread) {
					return reader.word(waiter + (8 * (word + 1)));
				}
			}
		}

		return 0;
	}
}

/** Returns the state code for a VirtualThread.state; undefined if the thread is mounted or has ended. */
export function unmountedState(virtualState: number): number | undefined {
	return states.get(virtualState & ~suspendedBit);
}

/** Whether two waits look the same in samples. */
export function isSameWait(one: VirtualWait, other: VirtualWait): boolean {
	return one.kind === other.kind && one.className === other.className && one.holder?.thread === other.holder?.thread
		&& one.holder?.virtualId === other.holder?.virtualId
		&& one.fileKind === other.fileKind && one.filePeer === other.filePeer;
}

/** Returns a text that is the same for the same waits. */
export function keyOfWait({kind, className, holder, fileKind, filePeer}: VirtualWait): string {
	return `${kind} ${className} ${holder?.thread?.address ?? holder?.virtualId ?? 0} ${fileKind} ${filePeer}`;
}

const poller = 'sun.nio.ch.Poller';
const pollerSignature = 'Lsun/nio/ch/Poller;';

/** The classes whose static fields lead to all pollers. */
export const pollerClasses: readonly string[] = [poller];

/** `isRead`: the threads wait to read; otherwise to write. */
type PollerMap = {readonly map: number; readonly isRead: boolean};

/**
Finds the open files that virtual threads wait for: sun.nio.ch.Poller maps each to the thread that is parked until it is
ready. Objects must not move meanwhile. Methods throw `Unreadable`.
*/
export class Pollers {
	/** The maps of all pollers, as of this slice. */
	maps: readonly PollerMap[] = [];
	readonly #objects: JdkObjects;
	/** By thread id: descriptor and index of the map, as of when the maps were read. */
	readonly #files = new Map<number, {readonly fd: number; readonly poller: number}>();

	constructor(objects: JdkObjects) {
		this.#objects = objects;
	}

	/** Returns the maps of all pollers (descriptor to thread), in the same order each time. */
	find(): PollerMap[] {
		const objects = this.#objects;
		if (objects.classes.get(poller) === undefined) {
			return [];
		}

		// JDK 22 to 26 have Pollers with arrays, 27 a PollerGroup with a set; 21 has static arrays.
		const group = objects.staticField(poller, 'POLLERS', 'Lsun/nio/ch/Poller$Pollers;')
			|| objects.staticField(poller, 'POLLER_GROUP', 'Lsun/nio/ch/Poller$PollerGroup;');
		const field = (name: string, type: string) => group === 0 ? 0 : objects.field(group, name, type);
		const reading = [
			// Other pollers wait at the master poller.
			field('masterPoller', pollerSignature),
			...objects
				.elements(field('readPollers', `[${pollerSignature}`)
					|| objects.staticField(poller, 'READ_POLLERS', `[${pollerSignature}`)),
			...Array.from(objects.entries(objects.mapOfSet(field('readPollers', 'Ljava/util/Set;'))), ({key}) => key),
		];
		const writing = objects.elements(field('writePollers', `[${pollerSignature}`)
			|| objects.staticField(poller, 'WRITE_POLLERS', `[${pollerSignature}`));
		return [...reading.map(each => ({each, isRead: true})), ...Array.from(writing, each => ({each, isRead: false}))]
			.map(({each, isRead}) => ({map: each === 0 ? 0 : objects.field(each, 'map', 'Ljava/util/Map;'), isRead}));
	}

	clear(): void {
		this.#files.clear();
	}

	/** Notes that a thread waits for the descriptor `key` of the `index`-th map. */
	add(threadId: number, key: number, index: number): void {
		this.#files.set(threadId, {fd: this.#objects.int(key, 'value'), poller: index});
	}

	/** Returns the noted file of a thread if it still waits for it; otherwise undefined. */
	fileOf(thread: number, id: number): {readonly fd: number; readonly isRead: boolean} | undefined {
		const file = this.#files.get(id);
		const pollerMap = file && this.maps.at(file.poller);
		return pollerMap
			&& this.#objects.valueOf(pollerMap.map, file.fd, key => this.#objects.int(key, 'value') === file.fd)
			=== thread
			? {fd: file.fd, isRead: pollerMap.isRead}
			: undefined;
	}
}
