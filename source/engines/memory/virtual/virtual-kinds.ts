import {isOfJdk} from '../../../model/class-name.js';
import {bounded, cached} from '../../../util/get-or-create.js';
import {virtualThreadsKey} from '../../../model/sample.js';
import {elide, poolName, printable, safe, type Printable} from '../../../util/printable.js';
import {type Methods} from '../hotspot/methods.js';
import {type VirtualIdentity} from '../hotspot/thread-object.js';
import {type FrozenRead} from '../unwind/continuation.js';
import {SampleRow} from '../threads/row-cache.js';
import {type VirtualWait} from './virtual-waits.js';

/** Kind of threads of which neither the name nor the outermost frames are known. */
const unknownKind = safe`(virtual threads)`;

/** Part of the names of classes that the JVM makes of lambda expressions; their methods call the program's. */
const lambda = '$$Lambda';

/** Maximum entries of each map below; a full one is emptied. */
const maxEntries = 16_384;

/** Maximum of `lead`, so that a new name wins soon. */
const maxLead = 16;

/** A kind of virtual threads. `id`: a text that differs from other kinds'. */
export type VirtualKind = {readonly id: string; readonly name: Printable};

/**
Sorts virtual threads, which come and go by the thousand, into kinds, and gives out the keys of their rows. Threads
that began by the same method of the program are a kind. Its name is the most frequent name of its threads, without
digits, or the method's if they have none.
*/
export class VirtualKinds {
	readonly #methods: Methods;
	/** Threads' first methods by thread id, because their outermost frames cannot always be read. */
	readonly #firstMethods = new Map<number, Printable>();
	/**
	By first method: the most frequent recent name of threads, and its lead over others. A majority decides because the
	thread whose name was read may not be the one whose stack was read.
	*/
	readonly #names = new Map<string, {name: Printable; lead: number}>();
	readonly #keys = new Map<string, number>();
	#keyCount = 0;

	constructor(methods: Methods) {
		this.#methods = methods;
	}

	/**
	Returns the kind of a thread. `frames`: its stack to the root, innermost first; undefined if unknown.
	`identity`: undefined if only the stack is known.
	*/
	kindOf(frames: Int32Array | undefined, identity?: VirtualIdentity): VirtualKind {
		const name = elide(poolName(identity?.name ?? safe``));
		const method = frames ? this.#outermostOfProgram(frames) : identity && this.#firstMethods.get(identity.id);
		if (method === undefined) {
			const nameOrNone = name === '' ? unknownKind : name;
			return {id: nameOrNone, name: nameOrNone};
		}

		if (identity) {
			bounded(this.#firstMethods, maxEntries).set(identity.id, method);
			this.#countName(method, name);
		}

		const frequentName = this.#names.get(method)?.name ?? safe``;
		return {id: method, name: frequentName === '' ? method : frequentName};
	}

	/** Returns the key of a row: the same for the same text, and another for any other. */
	keyOf(text: string): number {
		return cached(this.#keys, text, maxEntries, () => virtualThreadsKey - this.#keyCount++);
	}

	/** Counts a name of a thread that began by a method (Boyer and Moore's majority vote). */
	#countName(method: string, name: Printable): void {
		const leader = this.#names.get(method);
		if (!leader) {
			bounded(this.#names, maxEntries).set(method, {name, lead: 1});
		} else if (leader.name === name) {
			leader.lead = Math.min(leader.lead + 1, maxLead);
		} else if (--leader.lead < 0) {
			Object.assign(leader, {name, lead: 1});
		}
	}

	#outermostOfProgram(frames: Int32Array): Printable | undefined {
		for (let at = frames.length - 1; at >= 0; at--) {
			const method = this.#methods.ofFrame(frames[at]);
			if (method && !isOfJdk(method.className) && !method.className.includes(lambda)) {
				return printable(`${method.className}.${method.name}`);
			}
		}

		return undefined;
	}
}

/** Unmounted virtual threads of one kind with the same stack, state and wait. */
export class ThreadGroup {
	count = 0;
	/** Sum of its threads' ids: the id of a group of one. */
	idSum = 0;
	/** When the thread that has been there longest was first found there (epoch ms), and whether in the first pass. */
	sinceMs = Number.POSITIVE_INFINITY;
	isUnmovedSinceStart = false;
	/** Its row in the newest sample, and the values written there. */
	readonly row = new SampleRow();
	#rowCount = 0;
	#rowSinceMs = 0;
	#rowName = '';

	constructor(
		readonly key: number,
		public kind: VirtualKind,
		readonly state: number,
		readonly frames: Int32Array,
		readonly wait: VirtualWait,
	) {}

	add(id: number): void {
		this.count++;
		this.idSum += id;
	}

	remove(id: number): void {
		this.count--;
		this.idSum -= id;
	}

	/** Whether its row would be another if it were filled again. */
	changedSince(): boolean {
		return this.count !== this.#rowCount || this.sinceMs !== this.#rowSinceMs || this.kind.name !== this.#rowName;
	}

	/** Call when its values have been written to its row. */
	setFilled(): void {
		this.#rowCount = this.count;
		this.#rowSinceMs = this.sinceMs;
		this.#rowName = this.kind.name;
	}
}

/** An unmounted virtual thread as last read. `collections`: their count then; `pass`: the number of the pass. */
export type UnmountedThread = {
	readonly group: ThreadGroup;
	readonly name: Printable;
	readonly state: number;
	readonly frozen: FrozenRead;
	readonly sinceMs: number;
	readonly isUnmovedSinceStart: boolean;
	readonly collections: number;
	readonly pass: number;
};

/** Updates since when the threads of a thread's group have been there. */
export function updateSince({group, sinceMs, isUnmovedSinceStart}: UnmountedThread): void {
	group.sinceMs = Math.min(group.sinceMs, sinceMs);
	group.isUnmovedSinceStart ||= isUnmovedSinceStart;
}
