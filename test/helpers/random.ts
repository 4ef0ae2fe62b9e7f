/** Repeatable random numbers from 0 to 1 (mulberry32, Tommy Ettinger, public domain). */
export function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6D_2B_79_F5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** A whole number from 0 to below `end`. */
export function pick(random: () => number, end: number): number {
	return Math.floor(random() * end);
}

/** Bytes that are the same for the same seed. */
export function randomBytes(seed: number, length: number): Uint8Array {
	const next = seeded(seed);
	return Uint8Array.from({length}, () => Math.floor(next() * 256));
}
