import type {TargetVitals} from '../../model/snapshot.js';
import {Growth, overMinute} from '../../util/growth.js';

/** Collections of less than this time say nothing about growth. */
const minHeapGrowthMs = 20_000;

/** What collections of the old generation leave grows steadily if it does after each of at least five. */
const overOldCollections = {windowMs: 3_600_000, parts: 5, minMs: 180_000, recentMs: 600_000};

/** Pauses within this time are of one concurrent collection. */
const oldCollectionMs = 20_000;

/** What is read of collections; absent if the JVM has no such counter. */
type HeapReading = {
	readonly atMs: number;
	readonly collections?: number;
	/** Of the old generation, or the pauses of its concurrent ones. */
	readonly oldCollections?: number;
	readonly eden?: {readonly usedBytes: number};
};

/**
The heap in use after collections: all but eden, which they empty. What only larger collections free (such as G1's mixed
ones) counts as growth until then.
*/
export class HeapAfterCollections {
	readonly #growth = new Growth({...overMinute, minMs: minHeapGrowthMs});
	readonly #steadyGrowth = new Growth(overOldCollections);
	#lastBytes: number | undefined;
	#collections = 0;
	/** Since the last collection of the old generation: its time, and the least that a collection has left. */
	#old = {atMs: -Infinity, collections: 0, leastBytes: Infinity};

	/** Adds a reading. Figures are undefined before the first collection, and for a collector without eden. */
	with(
		{atMs, collections = 0, oldCollections = 0, eden}: HeapReading,
		heapUsedBytes: number | undefined,
	): Pick<TargetVitals, 'heapAfterGcBytes' | 'heapGrowthBytesPerMin' | 'heapSteadyGrowthBytesPerMin'> {
		if (eden && heapUsedBytes !== undefined && collections !== this.#collections) {
			this.#collections = collections;
			this.#lastBytes = Math.max(0, heapUsedBytes - eden.usedBytes);
			this.#growth.with(atMs, this.#lastBytes);
			this.#addAfterOld(atMs, oldCollections, this.#lastBytes);
		}

		return {
			heapAfterGcBytes: this.#lastBytes,
			heapGrowthBytesPerMin: this.#growth.perMin(),
			heapSteadyGrowthBytesPerMin: this.#steadyGrowth.perMin(),
		};
	}

	/** Counts the least that is left between two collections of the old generation: G1's free it in several steps. */
	#addAfterOld(atMs: number, collections: number, bytes: number): void {
		const old = this.#old;
		if (collections > old.collections && atMs - old.atMs >= oldCollectionMs) {
			if (Number.isFinite(old.atMs)) {
				this.#steadyGrowth.with(atMs, old.leastBytes);
			}

			this.#old = {atMs, collections, leastBytes: bytes};
		} else {
			this.#old = {...old, collections, leastBytes: Math.min(old.leastBytes, bytes)};
		}
	}
}
