import {seeded} from '../../helpers/random.js';

/** Bytes that are the same for the same seed. */
export function randomBytes(seed: number, length: number): Uint8Array {
	const next = seeded(seed);
	return Uint8Array.from({length}, () => Math.floor(next() * 256));
}
