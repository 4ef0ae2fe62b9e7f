import {stateCode} from '../../../../model/thread-state.js';
import {type Heap} from '../../hotspot/heap.js';
import {has} from '../../hotspot/layout.js';
import {type Methods} from '../../hotspot/methods.js';
import {type SynchronizerOffsets, type Synchronizers} from '../../hotspot/synchronizers.js';
import {type Vm} from '../../hotspot/vm.js';
import {type Chain, type ReadAhead} from '../../target/read-ahead.js';
import {waitKind} from '../derived-state.js';
import {type JavaThread} from '../java-thread.js';
import {type ThreadObjects} from '../thread-object.js';

/** First release in which a monitor refers to its object by a weak handle (JDK-8247281) instead of its address. */
const weakHandles = 16;

/** Chains of words, each found through the one before, from a thread to what it waits for and who holds that. */
export class LockWords {
	readonly #vm: Vm;
	readonly #ahead: ReadAhead;
	readonly #heap: Heap;
	readonly #objects: ThreadObjects;
	readonly #methods: Methods;
	readonly #synchronizers: Synchronizers;

	constructor(vm: Vm, ahead: ReadAhead, parts: {readonly heap: Heap; readonly objects: ThreadObjects; readonly methods: Methods; readonly synchronizers: Synchronizers}) {
		this.#vm = vm;
		this.#ahead = ahead;
		this.#heap = parts.heap;
		this.#objects = parts.objects;
		this.#methods = parts.methods;
		this.#synchronizers = parts.synchronizers;
	}

	/** The words of a waiting thread; undefined if it waits for nothing that has any. */
	of(thread: JavaThread): Chain | undefined {
		const {state, block} = thread;
		const kind = state === stateCode.BLOCKED ? 'enter' : waitKind(thread, this.#methods);
		if (kind === 'park') {
			return this.#ofParked(thread);
		}

		const monitor = kind === 'enter' ? block.pendingMonitor : (kind === 'wait' ? block.waitingMonitor : 0);
		return monitor === 0 ? undefined : this.#ofMonitor(monitor);
	}

	/** The owner of a monitor. */
	* ofOwner(monitor: number): Chain {
		this.#ahead.want(monitor + this.#vm.layout.fields.monitorOwner, 8);
		yield;
	}

	/** The owner of a synchronizer; nothing if its class has no owner field. */
	* ofHolder(synchronizer: number, {owner, firstReader, state, longState}: SynchronizerOffsets): Chain {
		if (!has(owner)) {
			return;
		}

		this.#heap.wantReference(synchronizer + owner, this.#ahead);
		if (has(firstReader)) {
			this.#ahead.want(synchronizer + (has(state) ? state : longState + 4), 4);
			this.#heap.wantReference(synchronizer + firstReader, this.#ahead);
		}

		yield;
		const thread = this.#heap.reference(synchronizer + owner);
		if (thread !== 0) {
			this.#objects.wantNativeThread(thread, this.#ahead);
		}
	}

	/** The object of a monitor. Throws `Unreadable`. */
	monitorObject(monitor: number): number {
		const {reader, layout: {fields}, release} = this.#vm;
		const object = reader.word(monitor + fields.monitorObject);
		return release >= weakHandles ? this.#heap.reference(object, true) : object;
	}

	* #ofParked({address, block: {threadObject}}: JavaThread): Chain {
		this.#objects.wantSlot(address, threadObject, this.#ahead);
		yield;
		const oop = this.#objects.inSlot(address, threadObject);
		if (oop === 0) {
			return;
		}

		this.#objects.wantParkBlocker(oop, this.#ahead);
		yield;
		this.#objects.wantAncestor(oop, this.#ahead);
		const blocker = this.#objects.parkBlocker(oop);
		if (blocker !== 0) {
			yield * this.#ofClass(blocker);
			yield * this.ofHolder(blocker, this.#synchronizers.offsetsOf(this.#heap.klassOf(blocker)));
		}
	}

	* #ofMonitor(monitor: number): Chain {
		const {reader, layout: {fields}, release} = this.#vm;
		this.#ahead.want(monitor + fields.monitorOwner, 8);
		this.#ahead.want(monitor + fields.monitorObject, 8);
		yield;
		if (release >= weakHandles) {
			this.#ahead.want(reader.word(monitor + fields.monitorObject), 8);
			yield;
		}

		yield * this.#ofClass(this.monitorObject(monitor));
	}

	* #ofClass(oop: number): Chain {
		this.#heap.wantKlass(oop, this.#ahead);
		yield;
		this.#ahead.want(this.#heap.klassOf(oop) + this.#vm.layout.fields.klassName, 8);
	}
}
