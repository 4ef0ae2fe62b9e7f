import {isOfJdk} from '../../../model/class-name.js';
import {bounded, cached} from '../../../model/get-or-create.js';
import {virtualThreadsKey} from '../../../model/sample.js';
import {elide, poolName, printable} from '../../../model/text.js';
import {type Methods} from '../hotspot/methods.js';
import {type FrozenStack} from '../unwind/continuation.js';
import {type VirtualWait} from './virtual-waits.js';

/** Kind of threads of which neither the name nor the outermost frames are known. */
const unknownKind = '(virtual threads)';

/** Part of the name of a class that the JVM made of a lambda expression, whose method calls the program's. */
const lambda = '$$Lambda';

/** Bounds on remembered threads, methods and keys; beyond it all are forgotten. */
const kindsLimit = 16_384;

const maxLead = 16;

/** `id`: what tells it from others. */
export type VirtualKind = {readonly id: string; readonly name: string};

/**
Sorts virtual threads, which come and go by the thousand, into kinds, and gives out the keys of their records. Threads
that began by the same method of the program are a kind; its name is that of most threads without digits, or the method's
if they have none.
*/
export class VirtualKinds {
	readonly #methods: Methods;
	/** First methods by thread id, since a thread's outermost frames are not always known. */
	readonly #firstMethods = new Map<number, string>();
	/**
	The most frequent recent name of threads by first method, and its lead over others: the mounted thread may differ
	from the one whose stack was read.
	*/
	readonly #names = new Map<string, {name: string; votes: number}>();
	readonly #keys = new Map<string, number>();
	#made = 0;

	constructor(methods: Methods) {
		this.#methods = methods;
	}

	/**
	Returns the kind of a thread. `frames`: its stack to the root, innermost first; undefined if unknown.
	`identity`: undefined if only the stack is known.
	*/
	kindOf(frames: Int32Array | undefined, identity?: {readonly id: number; readonly name: string}): VirtualKind {
		const name = elide(poolName(identity?.name ?? ''));
		const method = frames ? this.#outermostOfProgram(frames) : identity && this.#firstMethods.get(identity.id);
		if (method === undefined) {
			const known = name === '' ? unknownKind : name;
			return {id: known, name: known};
		}

		if (identity) {
			bounded(this.#firstMethods, kindsLimit).set(identity.id, method);
			this.#vote(method, name);
		}

		const named = this.#names.get(method)?.name ?? '';
		return {id: method, name: named === '' ? method : named};
	}

	/** Returns the key of a record, the same for the same description. */
	keyOf(description: string): number {
		return cached(this.#keys, description, kindsLimit, () => virtualThreadsKey - this.#made++);
	}

	#vote(method: string, name: string): void {
		const known = this.#names.get(method);
		if (!known) {
			bounded(this.#names, kindsLimit).set(method, {name, votes: 1});
		} else if (known.name === name) {
			known.votes = Math.min(known.votes + 1, maxLead);
		} else if (--known.votes < 0) {
			Object.assign(known, {name, votes: 1});
		}
	}

	#outermostOfProgram(frames: Int32Array): string | undefined {
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
	/** Sum of its threads' ids, which is that of a single thread. */
	idSum = 0;
	/** When the thread that has been there longest was first found there (epoch ms), and whether in the first pass. */
	sinceMs = Number.POSITIVE_INFINITY;
	isLonger = false;
	row = -1;
	#shownCount = 0;
	#shownSinceMs = 0;
	#shownName = '';

	constructor(readonly key: number, public kind: VirtualKind, readonly state: number, readonly frames: Int32Array, readonly wait: VirtualWait) {}

	add(id: number): void {
		this.count++;
		this.idSum += id;
	}

	remove(id: number): void {
		this.count--;
		this.idSum -= id;
	}

	/** Whether the row of the previous sample is still valid. */
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

/** A virtual thread as last read. */
export type KnownThread = {group: ThreadGroup; name: string; stack: FrozenStack; state: number; chunk: number; checksum: number; clock: number; sinceMs: number; isLonger: boolean; pass: number};

/** Updates since when a thread's group has been there. */
export function addSince({group, sinceMs, isLonger}: KnownThread): void {
	group.sinceMs = Math.min(group.sinceMs, sinceMs);
	group.isLonger ||= isLonger;
}
