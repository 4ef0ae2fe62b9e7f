import {ifReadable} from '../target/memory-reader.js';

/** Monitors whose holders are searched for at the same time. */
const maxSearchedMonitors = 256;

/** Finds unmounted virtual threads that locked an object for which another thread has made a monitor since. */
export class AnonymousHolders {
	/** By monitor: the holder's id (0: unknown), and the number of passes begun since it was found. */
	readonly #holders = new Map<number, {readonly virtualId: number; age: number}>();
	readonly #objectOf: (monitor: number) => number;

	/** `objectOf` may throw `Unreadable`. */
	constructor(objectOf: (monitor: number) => number) {
		this.#objectOf = objectOf;
	}

	/** Begins a pass over all virtual threads: holders that `addLocked` no longer confirms are dropped. */
	beginPass(): void {
		for (const [monitor, holder] of this.#holders) {
			if (holder.age++ > 0) {
				this.#holders.delete(monitor);
			}
		}
	}

	/** Adds the objects that an unmounted virtual thread has locked without a monitor. */
	addLocked(virtualId: number, objects: readonly number[]): void {
		for (const monitor of objects.length === 0 ? [] : this.#holders.keys()) {
			if (objects.includes(ifReadable(() => this.#objectOf(monitor), -1))) {
				this.#holders.set(monitor, {virtualId, age: 0});
			}
		}
	}

	/** Returns the id of the virtual thread that holds a monitor; 0 if unknown, and then starts to search for it. */
	virtualIdOf(monitor: number): number {
		const holder = this.#holders.get(monitor);
		if (!holder && this.#holders.size < maxSearchedMonitors) {
			this.#holders.set(monitor, {virtualId: 0, age: 0});
		}

		return holder?.virtualId ?? 0;
	}

	/** Removes a monitor that names its owner. */
	delete(monitor: number): void {
		this.#holders.delete(monitor);
	}
}
