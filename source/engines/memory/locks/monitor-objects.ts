import {performance} from 'node:perf_hooks';
import {bounded} from '../../../util/get-or-create.js';
import {type Jvm} from '../hotspot/jvm.js';
import {isAligned} from '../target/memory.js';
import {ifReadable} from '../target/memory-reader.js';
import {type JavaThread} from '../threads/java-thread.js';

/** Tag in the lowest bits of a mark word that contains the address of the object's monitor (markWord.hpp). */
const monitorTag = 2;

const monitorLimit = 4096;

/** For how long an unused monitor keeps what was found; then the JVM may have freed it and made another there. */
const keptMs = 1000;

/** String id of the object's class, 0 if unknown; and the thread that locked it before the monitor was made. */
type Known = {className: number; holder?: JavaThread; usedMs: number};

/**
Tells the objects of monitors while a collector moves them. Pointers to them are then stale: ZGC updates a monitor's
pointer and a thread's stack long after it has moved the object. The object's header contains the monitor's address, as
does an old copy, so that an address can be confirmed; and what was found once is kept while threads want the monitor.
With a table of monitors (UseObjectMonitorTable) headers do not contain it.
*/
export class MonitorObjects {
	readonly #jvm: Jvm;
	readonly #known = new Map<number, Known>();

	constructor(jvm: Jvm) {
		this.#jvm = jvm;
	}

	/** Begins a sample: monitors that these threads want are in use. */
	start(threads: readonly JavaThread[]): void {
		const nowMs = performance.now();
		for (const {block: {pendingMonitor}} of threads) {
			const known = pendingMonitor === 0 ? undefined : this.#known.get(pendingMonitor);
			if (known) {
				known.usedMs = nowMs;
			}
		}
	}

	/** Whether the object at an address, or its old copy there, has this monitor. */
	isObjectOf(address: number, monitor: number): boolean {
		const {reader} = this.#jvm.vm;
		return address > 0 && isAligned(address)
			&& ifReadable(() => reader.word(address) === monitor + monitorTag, false);
	}

	/** Returns the address of a monitor's object or of its old copy, if the object confirms it; otherwise 0. */
	confirmed(monitor: number, pointer: () => number): number {
		const address = ifReadable(pointer, 0);
		return this.isObjectOf(address, monitor) ? address : 0;
	}

	/** Returns the class that `read` finds for a monitor's object, or the last known one; 0 if unknown. */
	classOf(monitor: number, read: () => number): number {
		const known = this.#knownOf(monitor);
		known.className = read() || known.className;
		return known.className;
	}

	/**
	Returns the thread that `read` finds to hold a monitor of an anonymous owner, or the last known one: it remains the
	holder until the monitor names its owner.
	*/
	anonymousHolder(monitor: number, read: () => JavaThread | undefined): JavaThread | undefined {
		const known = this.#knownOf(monitor);
		known.holder = read() ?? known.holder;
		return known.holder;
	}

	/** Forgets the holder of a monitor that names its owner. */
	forgetHolder(monitor: number): void {
		const known = this.#known.get(monitor);
		if (known) {
			known.holder = undefined;
		}
	}

	#knownOf(monitor: number): Known {
		const nowMs = performance.now();
		const known = this.#known.get(monitor);
		if (known && nowMs - known.usedMs < keptMs) {
			known.usedMs = nowMs;
			return known;
		}

		const fresh = {className: 0, usedMs: nowMs};
		bounded(this.#known, monitorLimit).set(monitor, fresh);
		return fresh;
	}
}
