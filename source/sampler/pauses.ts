/** Enough for a 99th percentile, and some seconds to minutes of sampling. */
const kept = 512;

/** The target's pauses in the newest samples, and the longest of all, microseconds. */
export class RecentPauses {
	readonly #ring = new Float64Array(kept);
	readonly #sorted = new Float64Array(kept);
	#count = 0;
	#worstUs = 0;

	add(pauseUs: number): void {
		this.#ring[this.#count++ % kept] = pauseUs;
		this.#worstUs = Math.max(this.#worstUs, pauseUs);
	}

	/** Median and 99th percentile (nearest rank) of the newest, the longest since the start; 0 before the first. */
	figures(): {pauseP50Us: number; pauseP99Us: number; pauseWorstUs: number} {
		const size = Math.min(this.#count, kept);
		const sorted = this.#sorted.subarray(0, size);
		sorted.set(this.#ring.subarray(0, size));
		sorted.sort();
		const rank = (part: number) => sorted[Math.max(0, Math.ceil(part * size) - 1)] ?? 0;
		return {pauseP50Us: rank(0.5), pauseP99Us: rank(0.99), pauseWorstUs: this.#worstUs};
	}
}
