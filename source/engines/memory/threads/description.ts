import type {Printable} from '../../../util/printable.js';
import {jvmWork, workOf} from '../../../model/jvm-stacks.js';
import {threadFlag, unknownThreadKey, unknownThreadName} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {noIdentity, type ThreadIdentity} from '../hotspot/thread-object.js';
import {type PartOwner, ThreadPart} from './thread-part.js';

/** Names of JIT compiler threads, which to the VM are Java threads. */
const compilerName = /^C[12] CompilerThread\d+$|^JVMCI(?:-native)? CompilerThread/;

/**
An identity and what follows from it: the key of the thread's rows, 0 until described, and flags as in a sample; and the
state by the thread's status.
*/
type Described = ThreadIdentity & {readonly key: number; readonly flags: number; readonly state: number};

/** What a thread's java.lang.Thread tells about it. `Descriptions` reads it. */
export class Description extends ThreadPart<Described> {
	/** When the identity was read from the Java heap (performance.now); undefined if it has not been. */
	identifiedMs?: number;
	/** Where its status is; valid while the count of collections is `statusCollections`. */
	statusAddress = 0;
	statusCollections = Number.NaN;
	/** The frames for which the state was found. */
	#frames?: Int32Array;
	#isStateConfirmed = false;
	#isNotifiable = false;

	constructor(owner: PartOwner) {
		super(owner, {...noIdentity, key: 0, flags: 0, state: stateCode.RUNNABLE});
	}

	get key(): number {
		return this.value.key;
	}

	get name(): Printable {
		return this.value.name;
	}

	get flags(): number {
		return this.value.flags;
	}

	/** The state by the thread's status; its row shows that of `ShownState`. */
	get state(): number {
		return this.value.state;
	}

	get identity(): ThreadIdentity {
		return this.value;
	}

	/** The state is certain: it was read from the thread's status while the thread did not move. */
	get isStateConfirmed(): boolean {
		return this.#isStateConfirmed;
	}

	/** The thread is in Object.wait, where another thread may change its status. */
	get isNotifiable(): boolean {
		return this.#isNotifiable;
	}

	setIdentity(identity: ThreadIdentity, nowMs: number): void {
		this.identifiedMs = nowMs;
		const isCompiler = compilerName.test(identity.name);
		const flags = (identity.isDaemon ? threadFlag.daemon : 0) | (isCompiler ? threadFlag.compiler : 0);
		// A thread counted before its object was readable keeps its key.
		this.#set({...identity, key: this.key < 0 ? this.key : identity.id, flags, state: this.state});
	}

	/** Describes a thread whose object could not be read yet, by its Linux id and the kernel's name for it. */
	setUnidentified(nativeId: number, kernelName: Printable): void {
		const name = kernelName || unknownThreadName;
		const flags = workOf(name) === jvmWork.jit ? threadFlag.compiler : 0;
		this.#set({...noIdentity, name, key: nativeId > 0 ? -nativeId : unknownThreadKey, flags, state: this.state});
	}

	/** Whether the state was found for these frames. */
	isOf(frames: Int32Array): boolean {
		return this.#frames === frames;
	}

	setState(state: number, isConfirmed: boolean): void {
		this.#isStateConfirmed = isConfirmed;
		if (state === stateCode.TERMINATED) {
			// A native thread that detaches and attaches again gets a new object in the same slot.
			this.identifiedMs = undefined;
			this.statusCollections = Number.NaN;
		}

		this.#set(state === this.state ? this.value : {...this.value, state});
	}

	/** Sets for which frames the state was found. */
	setFrames(frames: Int32Array, isNotifiable: boolean): void {
		this.#frames = frames;
		this.#isNotifiable = isNotifiable;
		this.#set(this.value);
	}

	setStatusAddress(address: number, collections: number): void {
		this.statusAddress = address;
		this.statusCollections = collections;
	}

	#set(described: Described): void {
		this.set(described, this.identifiedMs !== undefined && this.#isStateConfirmed && !this.#isNotifiable);
	}
}
