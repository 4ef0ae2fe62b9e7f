import {lockKindCode, type Sample} from '../../../model/sample.js';

/** A parsed line about a lock, which starts with "\t- " and follows a frame. */
export type LockLine = {
	/**
	`monitor-held`: "locked <…>". `synchronizer-held`: "<…> (a X)" below "Locked ownable synchronizers:". `blocked`:
	"waiting to lock <…>". `waiting`: "waiting on <…>", "waiting to re-lock in wait() <…>" (JDK 11). `parked`: "parking
	to wait for  <…>". `class-init`: "waiting on the Class initialization monitor for X" (JDK 17 and later).
	*/
	readonly kind: 'monitor-held' | 'synchronizer-held' | 'blocked' | 'waiting' | 'parked' | 'class-init';
	/** Hexadecimal address of the object; empty if not printed ("no object reference available"). */
	readonly address: string;
	/** Name of its class as printed, empty if not; only for locks that the thread waits for. */
	readonly className: string;
};

const kinds = new Map<string, LockLine['kind']>([
	['locked ', 'monitor-held'],
	['', 'synchronizer-held'],
	['waiting to lock ', 'blocked'],
	['waiting on ', 'waiting'],
	['waiting to re-lock in wait() ', 'waiting'],
	['parking to wait for  ', 'parked'],
]);

const lockLine = /^([a-z -]*(?:\(\) )?)<(?:0x([\da-f]+)(?:> \(a (.*)\))?)?/s;
const classLine = 'waiting on the Class initialization monitor for ';

/** What is printed of a Class object, with the class that it represents. */
const classObject = /^java\.lang\.Class for (.+)$/s;

/** Parses the text after "\t- "; undefined for "None", an eliminated lock, or a held one without an address. */
export function readLockLine(text: string): LockLine | undefined {
	if (text.startsWith(classLine)) {
		return {kind: 'class-init', address: '', className: text.slice(classLine.length)};
	}

	const [, prefix, address = '', className = ''] = lockLine.exec(text) ?? [];
	const kind = prefix === undefined ? undefined : kinds.get(prefix);
	const isOwned = kind === 'monitor-held' || kind === 'synchronizer-held';
	const name = className.replace(classObject, '$1.class');
	return kind === undefined || (isOwned && address === '')
		? undefined
		: {kind, address, className: isOwned ? '' : name};
}

/** Many more threads than deadlock in practice. */
const maxDeadlockWaits = 1000;

const synchronizerWait
	= /\n {2}waiting for ownable synchronizer 0x([\da-f]+)[^\n]*\n {2}which is held by "([^\n]*)"[^\n"]*\n/g;

/**
Returns the java.util.concurrent locks, with their holders' names, in HotSpot's deadlock report below a dump (JDK 8 to
28,
`DeadlockCycle::print_on_with`); the threads' own stacks show only the holders of monitors. Misses holders whose names
contain a line feed or a quote.
*/
export function deadlockedSynchronizers(tail: string): Array<{readonly address: string; readonly holder: string}> {
	const start = tail.indexOf('Java-level deadlock');
	const waits = start === -1 ? [] : [...tail.slice(start).matchAll(synchronizerWait)];
	return waits.slice(0, maxDeadlockWaits).map(([, address, holder]) => ({address, holder}));
}

/** A lock that the thread in `row` holds. `frame`: id of the frame that took it; 0 if unknown. */
type HeldLock = {readonly row: number; readonly address: string; readonly frame: number};

/** A running static initializer, and its class's name as a string id. */
type Initializer = {readonly row: number; readonly classId: number; readonly frame: number};

/**
Finds the owners of the locks that the threads of one dump wait for, by matching "- locked <address>" lines with
"- waiting to lock <address>". A thread in Object.wait still prints "- locked" for the monitor that it released; such
lines do not count.
*/
export class LockOwners {
	/** By row: the lock's address; empty if not printed. */
	readonly #waitsFor = new Map<number, string>();
	/** Locks that threads hold; of each thread, the innermost frame's first. */
	readonly #heldLocks: HeldLock[] = [];
	/** Running static initializers; of each thread, the innermost first. */
	readonly #initializers: Initializer[] = [];

	addWaiter(row: number, address: string): void {
		this.#waitsFor.set(row, address);
	}

	/** `frame`: 0 if unknown. */
	addHeld(row: number, address: string, frame: number): void {
		this.#heldLocks.push({row, address, frame});
	}

	/** `classId`: string id of the class's name. */
	addInitializer(row: number, classId: number, frame: number): void {
		this.#initializers.push({row, classId, frame});
	}

	/** Fills `lockOwner` and `lockOwnerFrame` of the sample. Rows are those of the earlier calls. */
	resolve(sample: Sample): void {
		const holders = this.#waitsFor.size > 0 ? this.#holdersByAddress(sample) : undefined;
		for (let row = 0; row < sample.count; row++) {
			const kind = sample.lockKind[row];
			if (kind === lockKindCode.monitor || kind === lockKindCode.park) {
				const holder = holders?.get(this.#waitsFor.get(row) ?? '');
				if (holder && holder.row !== row) {
					sample.lockOwner[row] = holder.row;
					sample.lockOwnerFrame[row] = holder.frame;
				}
			} else if (kind === lockKindCode['class-init']) {
				this.#resolveInitializer(sample, row);
			}
		}
	}

	/**
	Up to JDK 16 a dump does not name the class: assume the innermost initializer if only one other thread runs any.
	*/
	#resolveInitializer(sample: Sample, row: number): void {
		const waitClass = sample.lockClass[row];
		const others = this.#initializers.filter(other =>
			other.row !== row && (waitClass === 0 || other.classId === waitClass));
		const [first] = others;
		if (first && (waitClass !== 0 || others.every(other => other.row === first.row))) {
			sample.lockClass[row] = first.classId;
			sample.lockOwner[row] = first.row;
			sample.lockOwnerFrame[row] = first.frame;
		}
	}

	#holdersByAddress(sample: Sample): Map<string, HeldLock> {
		const holders = new Map<string, HeldLock>();
		let releasedRow = -1;
		for (const held of this.#heldLocks) {
			const {row, address} = held;
			const waitAddress = this.#waitsFor.get(row);
			// Released while it waits: Object.wait.
			if (waitAddress === address) {
				continue;
			}

			// A compiled wait does not print its object: the last monitor locked is the one released.
			if (waitAddress === '' && sample.lockKind[row] === lockKindCode['monitor-wait'] && releasedRow !== row) {
				releasedRow = row;
				continue;
			}

			// The first thread that claims an object counts. If it locked the object repeatedly, its outermost frame,
			// which comes last, acquired it.
			const first = holders.get(address);
			if (!first || first.row === row) {
				holders.set(address, held);
			}
		}

		return holders;
	}
}

/** `lockClass`: string id of the lock's class; `owner`: the owner's key; `ownerStack`: its stack in the full dump. */
type SynchronizerOwner = {readonly lockClass: number; readonly owner: number; readonly ownerStack: string};

/**
Remembers the owners of java.util.concurrent locks, which only full dumps show. An owner is kept while the waiter
waits for a lock of the same class and the owner exists. An owner that now waits for a lock with another stack may have
released this one first: it no longer counts, so that no false deadlock is reported.
*/
export class SynchronizerOwners {
	readonly #byWaiterKey = new Map<number, SynchronizerOwner>();

	applyTo(sample: Sample, {isFullDump}: {readonly isFullDump: boolean}): void {
		if (isFullDump) {
			this.#remember(sample);
		} else if (this.#byWaiterKey.size > 0) {
			this.#fillIn(sample);
		}
	}

	#remember(sample: Sample): void {
		this.#byWaiterKey.clear();
		for (let row = 0; row < sample.count; row++) {
			const owner = sample.lockOwner[row];
			if (sample.lockKind[row] === lockKindCode.park && owner >= 0) {
				this.#byWaiterKey.set(sample.key[row], {
					lockClass: sample.lockClass[row],
					owner: sample.key[owner],
					ownerStack: stackOf(sample, owner),
				});
			}
		}
	}

	#fillIn(sample: Sample): void {
		const rowOfKey = new Map<number, number>();
		for (let row = 0; row < sample.count; row++) {
			rowOfKey.set(sample.key[row], row);
		}

		for (const [key, {lockClass, owner, ownerStack}] of this.#byWaiterKey) {
			const row = rowOfKey.get(key);
			const ownerRow = rowOfKey.get(owner);
			const isWaiter = row !== undefined && sample.lockKind[row] === lockKindCode.park
				&& sample.lockClass[row] === lockClass;
			const isOwner = ownerRow !== undefined
				&& (sample.lockKind[ownerRow] === lockKindCode.none || stackOf(sample, ownerRow) === ownerStack);
			if (!isWaiter || !isOwner) {
				this.#byWaiterKey.delete(key);
			} else if (sample.lockOwner[row] < 0) {
				sample.lockOwner[row] = ownerRow;
			}
		}
	}
}

function stackOf({frames, stackStart, stackLength}: Sample, row: number): string {
	return frames.subarray(stackStart[row], stackStart[row] + stackLength[row]).join(' ');
}
