import {lockKindCode, type Sample} from '../../../model/sample.js';

/** What a line below a frame, behind "\t- ", says about a lock. */
export type LockLine = {
	/**
	`holds`: "locked <…>". `owns`: "<…> (a X)" below "Locked ownable synchronizers:". `enters`: "waiting to lock <…>".
	`waits`: "waiting on <…>", "waiting to re-lock in wait() <…>" (JDK 11). `parks`: "parking to wait for  <…>".
	`initializes`: "waiting on the Class initialization monitor for X" (JDK 17 and later).
	*/
	readonly kind: 'holds' | 'owns' | 'enters' | 'waits' | 'parks' | 'initializes';
	/** Address of the object as printed; empty when it is not ("no object reference available"). */
	readonly address: string;
	/** Name of its class as printed; empty when it is not. */
	readonly className: string;
};

const kinds = new Map<string, LockLine['kind']>([
	['locked ', 'holds'],
	['', 'owns'],
	['waiting to lock ', 'enters'],
	['waiting on ', 'waits'],
	['waiting to re-lock in wait() ', 'waits'],
	['parking to wait for  ', 'parks'],
]);

const lockLine = /^([a-z -]*(?:\(\) )?)<(?:0x([\da-f]+)(?:> \(a (.*)\))?)?/s;
const classLine = 'waiting on the Class initialization monitor for ';

/** Reads what stands behind "\t- "; undefined when it says nothing useful: an eliminated lock, "None". */
export function readLockLine(text: string): LockLine | undefined {
	if (text.startsWith(classLine)) {
		return {kind: 'initializes', address: '', className: text.slice(classLine.length)};
	}

	const match = lockLine.exec(text);
	const kind = match ? kinds.get(match[1]) : undefined;
	const isHeld = kind === 'holds' || kind === 'owns';
	return kind && (match![2] || !isHeld) ? {kind, address: match![2] ?? '', className: (!isHeld && match![3]) || ''} : undefined;
}

/** Waits read of those below a dump: more than tell a circle of threads, and few enough for every dump. */
const maxWaits = 1000;
const synchronizerWait = /\n {2}waiting for ownable synchronizer 0x([\da-f]+)[^\n]*\n {2}which is held by "([^\n]*)"[^\n"]*\n/g;

/**
What HotSpot says below every dump of threads in a deadlock (JDK 8 to 28, `DeadlockCycle::print_on_with`): it finds
circles through locks of java.util.concurrent too, and names their holders, which the threads' own stacks do not.
Monitors' holders are known from the stacks. A name with a line feed is not found, and its lock stays without a holder.
*/
export function deadlockedParks(tail: string): Array<{readonly address: string; readonly holder: string}> {
	const start = tail.indexOf('Java-level deadlock');
	const waits = start === -1 ? [] : [...tail.slice(start).matchAll(synchronizerWait)];
	return waits.slice(0, maxWaits).map(([, address, holder]) => ({address, holder}));
}

type Held = {readonly row: number; readonly address: string; readonly frame: number};
type Initializer = {readonly row: number; readonly classId: number; readonly frame: number};

/**
Within one dump, which thread holds what another one waits for: "- locked <address>" lines on one side, "- waiting to
lock <address>" on the other. A thread in Object.wait still prints "- locked" for the monitor that it gave back; such
lines do not count.
*/
export class LockOwners {
	/** Address of what a row waits for; empty when it is not printed. */
	readonly #wanted = new Map<number, string>();
	readonly #held: Held[] = [];
	/** Static initializers that run, a thread's innermost first. */
	readonly #initializers: Initializer[] = [];

	wants(row: number, address: string): void {
		this.#wanted.set(row, address);
	}

	/** A row's frame locked the object; frame 0 when it is not known. */
	holds(row: number, address: string, frame: number): void {
		this.#held.push({row, address, frame});
	}

	/** A row runs the static initializer of a class (a string id). */
	initializes(row: number, classId: number, frame: number): void {
		this.#initializers.push({row, classId, frame});
	}

	/** Fills `lockOwner` and `lockOwnerFrame` of the sample, whose rows the calls before were about. */
	resolve(sample: Sample): void {
		const holders = this.#wanted.size > 0 ? this.#holders(sample) : undefined;
		for (let row = 0; row < sample.count; row++) {
			const kind = sample.lockKind[row];
			if (kind === lockKindCode.monitor || kind === lockKindCode.park) {
				const holder = holders?.get(this.#wanted.get(row) ?? '');
				if (holder && holder.row !== row) {
					sample.lockOwner[row] = holder.row;
					sample.lockOwnerFrame[row] = holder.frame;
				}
			} else if (kind === lockKindCode['class-init']) {
				this.#resolveInitializer(sample, row);
			}
		}
	}

	/** Up to JDK 16 a dump does not say which class: it is the innermost one of the only other thread that initializes any. */
	#resolveInitializer(sample: Sample, row: number): void {
		const wanted = sample.lockClass[row];
		const others = this.#initializers.filter(other => other.row !== row && (wanted === 0 || other.classId === wanted));
		const [first] = others;
		if (first && (wanted !== 0 || others.every(other => other.row === first.row))) {
			sample.lockClass[row] = first.classId;
			sample.lockOwner[row] = first.row;
			sample.lockOwnerFrame[row] = first.frame;
		}
	}

	/** By the object's address. */
	#holders(sample: Sample): Map<string, Held> {
		const holders = new Map<string, Held>();
		let gaveBackUnknown = -1;
		for (const held of this.#held) {
			const {row, address} = held;
			const wanted = this.#wanted.get(row);
			if (wanted === address) {
				continue;
			}

			// In a compiled wait the object is not printed: the last monitor locked is the one that was given back.
			if (wanted === '' && sample.lockKind[row] === lockKindCode['monitor-wait'] && gaveBackUnknown !== row) {
				gaveBackUnknown = row;
				continue;
			}

			// The first thread that claims an object counts. It may have locked it several times: its outermost frame,
			// which comes last, took it.
			const first = holders.get(address);
			if (!first || first.row === row) {
				holders.set(address, held);
			}
		}

		return holders;
	}
}

type KnownHold = {readonly lockClass: number; readonly owner: number; readonly ownerStack: string};

/**
Who holds the locks of java.util.concurrent that threads wait for, as a full dump said: other dumps do not say. It is
believed as long as the waiter goes on waiting for a lock of that class and the holder is there. A holder that has begun
to wait for a lock may have released this one before; it no longer counts, so that no false deadlock is reported.
*/
export class KnownHolders {
	/** By the key of the thread that waits. */
	readonly #ofWaiter = new Map<number, KnownHold>();

	/** Takes what a full dump's sample says, or fills in what is still known. */
	applyTo(sample: Sample, isFull: boolean): void {
		if (isFull) {
			this.#take(sample);
		} else if (this.#ofWaiter.size > 0) {
			this.#fillIn(sample);
		}
	}

	#take(sample: Sample): void {
		this.#ofWaiter.clear();
		for (let row = 0; row < sample.count; row++) {
			const owner = sample.lockOwner[row];
			if (sample.lockKind[row] === lockKindCode.park && owner >= 0) {
				this.#ofWaiter.set(sample.key[row], {lockClass: sample.lockClass[row], owner: sample.key[owner], ownerStack: stackOf(sample, owner)});
			}
		}
	}

	#fillIn(sample: Sample): void {
		const rowOfKey = new Map<number, number>();
		for (let row = 0; row < sample.count; row++) {
			rowOfKey.set(sample.key[row], row);
		}

		for (const [key, {lockClass, owner, ownerStack}] of this.#ofWaiter) {
			const row = rowOfKey.get(key);
			const ownerRow = rowOfKey.get(owner);
			const isWaiter = row !== undefined && sample.lockKind[row] === lockKindCode.park && sample.lockClass[row] === lockClass;
			const isHolder = ownerRow !== undefined && (sample.lockKind[ownerRow] === lockKindCode.none || stackOf(sample, ownerRow) === ownerStack);
			if (!isWaiter || !isHolder) {
				this.#ofWaiter.delete(key);
			} else if (sample.lockOwner[row] < 0) {
				sample.lockOwner[row] = ownerRow;
			}
		}
	}
}

function stackOf({frames, stackStart, stackLength}: Sample, row: number): string {
	return frames.subarray(stackStart[row], stackStart[row] + stackLength[row]).join(' ');
}
