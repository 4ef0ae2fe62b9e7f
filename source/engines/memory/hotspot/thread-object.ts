import {printable, safe, type Printable} from '../../../util/printable.js';
import {stateCode} from '../../../model/thread-state.js';
import {fail} from '../target/memory-reader.js';
import {type Heap} from './heap.js';
import {has} from './layout.js';
import {type Vm} from './vm.js';

/** Identity of a java.lang.Thread. Only the name, which is printable, may change. */
export type ThreadIdentity = {
	/** java.lang.Thread.getId. */
	readonly id: number;
	readonly name: Printable;
	readonly isDaemon: boolean;
};

/** Stands for an identity that could not be read. */
export const noIdentity: ThreadIdentity = {id: 0, name: safe``, isDaemon: false};

/** Identity of a java.lang.VirtualThread. */
export type VirtualIdentity = Pick<ThreadIdentity, 'id' | 'name'>;

/**
Offsets in java.lang.Thread; since 19, status and daemon flag are in its `holder` (Thread$FieldHolder, JEP 425). The
field `eetop` has the address of the JavaThread.
*/
type Offsets = Readonly<Record<'name' | 'id' | 'eetop' | 'holder' | 'status' | 'daemon' | 'parkBlocker', number>>;

/**
Reads java.lang.Thread objects. Every method throws `Unreadable` if it finds invalid data. `objectOf`, `javaThreadOf`
and `virtualIdentity` check that the object is a Thread; callers of the others must know that it is.
*/
export class ThreadObjects {
	readonly #vm: Vm;
	readonly #heap: Heap;
	readonly #threadKlass: number;
	readonly #offsets: Offsets;

	constructor(vm: Vm, heap: Heap) {
		this.#vm = vm;
		this.#heap = heap;
		// Static fields have their addresses in `fields`, instance fields their offsets.
		const {fields} = vm.layout;
		const klass = vm.reader.pointer(fields.threadKlass);
		this.#threadKlass = klass;
		const hasHolder = has(fields.holderKlass);
		const owner = hasHolder ? vm.reader.pointer(fields.holderKlass) : klass;
		this.#offsets = {
			name: heap.requiredOffset(klass, 'name', 'Ljava/lang/String;'),
			id: heap.requiredOffset(klass, 'tid', 'J'),
			eetop: heap.requiredOffset(klass, 'eetop', 'J'),
			parkBlocker: heap.requiredOffset(klass, 'parkBlocker', 'Ljava/lang/Object;'),
			holder: hasHolder ? heap.requiredOffset(klass, 'holder', 'Ljava/lang/Thread$FieldHolder;') : Number.NaN,
			status: heap.requiredOffset(owner, 'threadStatus', 'I'),
			daemon: heap.requiredOffset(owner, 'daemon', 'Z'),
		};
	}

	/**
	Returns the java.lang.Thread object of a JavaThread, verified by its pointer back. `handle`: JavaThread._threadObj.
	Since JDK 15 it is the address of a slot that holds the object's address. Before, it is the object's address, which
	each collection changes: so it is read again.
	*/
	objectOf(thread: number, handle: number): number {
		const {reader, layout: {types, fields}} = this.#vm;
		const oop = types.threadObjectIsHandle
			? this.#heap.wideReference(handle)
			: reader.word(thread + fields.threadObject);
		return this.javaThreadOf(oop) === thread ? oop : fail();
	}

	/** Returns a platform thread's identity. Throws at once for a virtual thread, which has no holder. */
	identity(oop: number): ThreadIdentity {
		const isDaemon = this.#vm.reader.u8(this.#holder(oop) + this.#offsets.daemon) !== 0;
		return {...this.#idAndName(oop), isDaemon};
	}

	virtualIdentity(oop: number): VirtualIdentity {
		if (!this.#heap.isKind(this.#heap.klassOf(oop), this.#threadKlass)) {
			fail();
		}

		return this.#idAndName(oop);
	}

	idOf(oop: number): number {
		return this.#vm.reader.word(oop + this.#offsets.id);
	}

	/** Returns the object that a thread is parked on; 0 for none. */
	parkBlocker(oop: number): number {
		return this.#heap.reference(oop + this.#offsets.parkBlocker);
	}

	/** Returns the JavaThread of a java.lang.Thread object; 0 if it has none: not started, ended, or virtual. */
	javaThreadOf(oop: number): number {
		return this.#heap.isKind(this.#heap.klassOf(oop), this.#threadKlass)
			? this.#vm.reader.word(oop + this.#offsets.eetop)
			: fail();
	}

	statusAddress(oop: number): number {
		return this.#holder(oop) + this.#offsets.status;
	}

	#idAndName(oop: number): VirtualIdentity {
		const string = this.#heap.reference(oop + this.#offsets.name);
		return {
			id: this.#vm.reader.word(oop + this.#offsets.id),
			name: string === 0 ? safe`` : printable(this.#heap.string(string)),
		};
	}

	#holder(oop: number): number {
		if (!has(this.#offsets.holder)) {
			return oop;
		}

		const holder = this.#heap.reference(oop + this.#offsets.holder);
		return this.#heap.klassOf(holder) === this.#vm.reader.pointer(this.#vm.layout.fields.holderKlass)
			? holder
			: fail();
	}
}

/** How a thread waits; `enter`: to enter a monitor; `wait`: in Object.wait. */
export type WaitKind = 'none' | 'enter' | 'wait' | 'park' | 'sleep';

/** Bits of java.lang.Thread's status (jvmti.h, JVMTI_THREAD_STATE_*): the first row whose bit is set applies. */
const waitBits: ReadonlyArray<readonly [bit: number, kind: WaitKind]> = [[0x04_00, 'enter'], [0x01_00, 'wait'], [
	0x02_00,
	'park',
], [0x00_40, 'sleep']];

export function waitKindOfStatus(status: number): WaitKind {
	return waitBits.find(([bit]) => (status & bit) !== 0)?.[1] ?? 'none';
}

/** As `waitBits`, for state codes (jdk.internal.misc.VM.toThreadState). */
const stateBits: ReadonlyArray<readonly [bit: number, state: number]> = [
	[0x00_04, stateCode.RUNNABLE],
	[0x04_00, stateCode.BLOCKED],
	[0x00_10, stateCode.WAITING],
	[0x00_20, stateCode.TIMED_WAITING],
	[0x00_02, stateCode.TERMINATED],
	[0x00_01, stateCode.RUNNABLE],
];

export function stateOfStatus(status: number): number {
	return stateBits.find(([bit]) => (status & bit) !== 0)?.[1] ?? stateCode.NEW;
}
